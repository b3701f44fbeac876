import CGallery
import Calotype
import Foundation
import ImageTargetsGTK

/// The window: a grid, a large picture, and a line of statistics.
@MainActor final class Gallery {
    private let pictures: Pictures
    private let memory = MemoryCache(limits: .init(cost: 64_000_000))
    private let loader: ImageLoader
    private let snapshot: String?
    private var grid: GTKImageGrid?
    private var large: GTKImageView?
    private var target: ImageTarget<GTKImageView>?
    private var position: Int?
    private var showsBadges = true
    private var showsPanel = true
    private var ticks = 0

    init(_ pictures: Pictures, snapshot: String?) {
        (self.pictures, self.snapshot) = (pictures, snapshot)
        let memory = memory
        loader = ImageLoader.standard { $0.memoryCache = memory }
    }

    func ready() {
        let grid = GTKImageGrid(loader: loader, cellSize: PixelSize(width: 128, height: 128)) { [weak self] in
            self?.request($0) ?? ImageRequest(.bytes(Data(), id: ""))
        }
        let large = GTKImageView()
        (self.grid, self.large, target) = (grid, large, ImageTarget(large, loader: loader))
        grid.onActivate = { [weak self] in self?.show($0) }
        gallery_set_pages(grid.widget, large.widget)
        grid.count = pictures.urls.count
        grid.focus()
    }

    private func request(_ index: Int) -> ImageRequest {
        var request = ImageRequest(url: pictures.urls[index])
        // The tone differs from cell to cell, as the mean colours of pictures would.
        let tone = 0.25 + Double(index * 37 % 50) / 100
        request.options.placeholder = .color(red: tone, green: tone, blue: tone * 0.9, alpha: 1)
        request.options.transition = .fade(.milliseconds(250))
        request.options.offScreenPolicy = .cancels
        request.options.showsTierBadge = showsBadges
        request.options.accessibilityLabel = pictures.urls[index].lastPathComponent
        return request
    }

    private func show(_ index: Int) {
        guard pictures.urls.indices.contains(index) else { return }
        position = index
        var request = ImageRequest(url: pictures.urls[index])
        request.options.targetSize = PixelSize(width: 2_000, height: 2_000)
        request.options.accessibilityLabel = pictures.urls[index].lastPathComponent
        target?.setImage(request)
        gallery_show_picture(true)
    }

    func key(_ key: UInt32) {
        switch key {
        case UInt32(GALLERY_ESCAPE):
            if position == nil { gallery_quit() }
            position = nil
            gallery_show_picture(false)
            grid?.focus()
        case UInt32(GALLERY_LEFT): show((position ?? 0) - 1)
        case UInt32(GALLERY_RIGHT): show((position ?? 0) + 1)
        case Unicode.Scalar("b").value:
            showsBadges.toggle()
            grid?.count = pictures.urls.count
        case Unicode.Scalar("s").value:
            showsPanel.toggle()
            gallery_set_panel_visible(showsPanel)
        default: gallery_quit()
        }
    }

    func tick() {
        ticks += 1
        let (activity, cache) = (loader.activity, memory.statistics)
        let hits = cache.hitRatio.map { "\(Int($0 * 100)) %" } ?? "–"
        gallery_set_panel(
            "\(pictures.urls.count) pictures   loads \(activity.loads)   running \(activity.running)   "
                + "memory \(cache.count) images, \(cache.cost / 1_000_000) MB, hits \(hits)   "
                + "b badges  s this line  Return open  Esc back  q quit")
        guard let snapshot else { return }
        // For the guide: down a page and back, so that some pictures come from memory, and a picture of the window once
        // everything is there; or of the placeholders, as soon as they are.
        if ticks == 15 { grid?.offset = 1_500 }
        if ticks == 30 { grid?.offset = 700 }
        guard ticks > 45, activity.loads == 0 || ticks > 300 else { return }
        gallery_quit()
        if !gallery_snapshot(snapshot) { print("The picture of the window could not be written to \(snapshot).") }
    }
}
