import CGallery
import Calotype
import Foundation
import ImageTargetsGTK

/// The window: a grid or a list of pictures, a large one, and a line of statistics.
@MainActor final class Gallery {
    private let pictures: Pictures
    private let memory = MemoryCache(limits: .init(cost: 64_000_000))
    private let loader: ImageLoader
    private let guide: GuidePicture?
    private let trace: Trace?
    private var list: GTKImageList?
    private var large: GTKImageView?
    private var target: ImageTarget<GTKImageView>?
    private var position: Int?
    private var isGrid = true
    private var showsBadges = true
    private var showsPanel = true

    init(_ pictures: Pictures, guide: GuidePicture?, trace: Trace?) {
        (self.pictures, self.guide, self.trace) = (pictures, guide, trace)
        let memory = memory
        loader = ImageLoader.standard {
            $0.memoryCache = memory
            $0.observers = [pictures.hashes]
        }
    }

    func ready() {
        let list = GTKImageList(loader: loader, cellSize: PixelSize(width: 128, height: 128)) { [weak self] in
            self?.request($0) ?? ImageRequest(.bytes(Data(), id: ""))
        }
        let large = GTKImageView(contentMode: .fit)
        (self.list, self.large, target) = (list, large, ImageTarget(large, loader: loader))
        list.onActivate = { [weak self] in self?.show($0) }
        gallery_set_pages(list.widget, large.widget)
        gallery_set_button("List")
        guard let guide else {
            list.count = pictures.urls.count
            return list.focus()
        }
        Task { [loader, pictures] in
            await guide.prepare(pictures.urls, loader)
            list.count = pictures.urls.count
            list.focus()
        }
    }

    private func request(_ index: Int) -> ImageRequest {
        let url = pictures.urls[index]
        var request = ImageRequest(guide?.source(of: index, url) ?? .url(url))
        request.options.placeholder = pictures.hashes.placeholder(for: url) ?? .color(red: 0.6, green: 0.6, blue: 0.6, alpha: 1)
        request.options.transition = .fade(guide?.fade(of: index) ?? .milliseconds(250))
        request.options.offScreenPolicy = .cancels
        request.options.showsTierBadge = showsBadges
        request.options.accessibilityLabel = url.lastPathComponent
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
            guard let position else { return gallery_quit() }
            self.position = nil
            target?.clear()
            gallery_show_picture(false)
            // The picture that was looked at last.
            list?.selected = position
            list?.focus()
        case UInt32(GALLERY_LEFT): show((position ?? 0) - 1)
        case UInt32(GALLERY_RIGHT): show((position ?? 0) + 1)
        case Unicode.Scalar("b").value:
            showsBadges.toggle()
            list?.count = pictures.urls.count
        case Unicode.Scalar("l").value: switchLayout()
        case Unicode.Scalar("s").value:
            showsPanel.toggle()
            gallery_set_panel_visible(showsPanel)
        default: gallery_quit()
        }
    }

    private func switchLayout() {
        guard position == nil else { return }
        isGrid.toggle()
        list?.layout = isGrid ? .grid : .rows { [pictures] in pictures.title(of: $0) }
        gallery_set_button(isGrid ? "List" : "Grid")
    }

    func tick() {
        let (loads, bytes, cache) = (loader.statistics.loads, loader.statistics.bytes, memory.statistics)
        let hits = cache.hitRatio.map { "\(Int($0 * 100)) %" } ?? "–"
        gallery_set_panel(
            """
            \(pictures.urls.count) pictures   loads \(loads.active)   done \(loads.finished)   cancelled \(loads.cancelled)   \
            failed \(loads.failed)   fetched \(bytes.fetched / 1_000) KB   memory \(cache.count) images, \
            \(cache.cost / 1_000_000) MB, hits \(hits)
            arrows and return: choose, open   esc: back   l: list or grid   b: badges   s: these lines   q: quit
            """)
        if list?.count != 0 { guide?.tick() }
        guard let trace, let list else { return }
        let page = position != nil ? "picture" : isGrid ? "grid" : "list"
        let isLoaded = position != nil && large?.isLoading == false && large?.isBlank == false && large?.hasFailed == false
        trace.write(
            [
                ("page", page), ("picture", position.map { "\($0)" } ?? ""), ("loaded", "\(isLoaded)"),
                ("count", "\(list.count)"), ("badges", "\(showsBadges)"), ("panel", "\(showsPanel)"),
                ("loads", "\(loads.active)"), ("done", "\(loads.finished)"), ("failed", "\(loads.failed)"),
            ], list, isShown: position == nil)
    }
}
