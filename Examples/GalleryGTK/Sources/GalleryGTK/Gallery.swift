import CGallery
import Calotype
import Foundation
import ImageTargetsGTK

/// The window: a grid or a list of images, a large image, and a panel of statistics.
@MainActor final class Gallery {
    private let images: GalleryImages
    private let memory = MemoryCache(limits: .init(maximumBytes: 64_000_000))
    private let loader: ImageLoader
    private let screenshot: GuideScreenshot?
    private let trace: Trace?
    private var list: GTKImageList?
    private var large: GTKImageView?
    private var target: ImageTarget<GTKImageView>?
    private var position: Int?
    private var isGrid = true
    private var showsBadges = true
    private var showsPanel = true

    init(_ images: GalleryImages, screenshot: GuideScreenshot?, trace: Trace?) {
        (self.images, self.screenshot, self.trace) = (images, screenshot, trace)
        let memory = memory
        loader = ImageLoader.standard {
            $0.memoryCache = memory
            $0.observers = [images.hashes]
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
        guard let screenshot else {
            list.count = images.urls.count
            return list.focus()
        }
        Task { [loader, images] in
            await screenshot.fillCaches(images.urls, loader)
            list.count = images.urls.count
            list.focus()
        }
    }

    private func request(_ index: Int) -> ImageRequest {
        let url = images.urls[index]
        var request = ImageRequest(screenshot?.source(of: index, url) ?? .url(url))
        request.options.placeholder = images.hashes.placeholder(for: url) ?? .color(red: 0.6, green: 0.6, blue: 0.6, alpha: 1)
        request.options.transition = .fade(screenshot?.fade(of: index) ?? .milliseconds(250))
        request.options.offScreenPolicy = .cancels
        request.options.showsTierBadge = showsBadges
        request.options.accessibilityLabel = url.lastPathComponent
        return request
    }

    private func show(_ index: Int) {
        guard images.urls.indices.contains(index) else { return }
        position = index
        var request = ImageRequest(url: images.urls[index])
        request.options.targetSize = PixelSize(width: 2_000, height: 2_000)
        request.options.accessibilityLabel = images.urls[index].lastPathComponent
        target?.setImage(request)
        gallery_show_large(true)
    }

    func key(_ key: UInt32) {
        switch key {
        case UInt32(GALLERY_ESCAPE):
            guard let position else { return gallery_quit() }
            self.position = nil
            target?.clear()
            gallery_show_large(false)
            // The image that was shown last.
            list?.selected = position
            list?.focus()
        case UInt32(GALLERY_LEFT): show((position ?? 0) - 1)
        case UInt32(GALLERY_RIGHT): show((position ?? 0) + 1)
        case Unicode.Scalar("b").value:
            showsBadges.toggle()
            list?.count = images.urls.count
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
        list?.layout = isGrid ? .grid : .rows { [images] in images.title(of: $0) }
        gallery_set_button(isGrid ? "List" : "Grid")
    }

    func tick() {
        let (loads, bytes, cache) = (loader.statistics.loads, loader.statistics.bytes, memory.statistics)
        let hits = cache.hitRatio.map { "\(Int($0 * 100)) %" } ?? "–"
        gallery_set_panel(
            """
            \(images.urls.count) images   loads \(loads.active)   done \(loads.finished)   cancelled \(loads.cancelled)   \
            failed \(loads.failed)   fetched \(bytes.fetched / 1_000) KB   memory \(cache.count) entries, \
            \(cache.byteCount / 1_000_000) MB, hits \(hits)
            arrows and return: select, open   esc: back   l: list or grid   b: badges   s: statistics   q: quit
            """)
        if list?.count != 0 { screenshot?.tick() }
        guard let trace, let list else { return }
        let page = position != nil ? "image" : isGrid ? "grid" : "list"
        let isLoaded = position != nil && large?.isLoading == false && large?.isBlank == false && large?.hasFailed == false
        trace.write(
            [
                ("page", page), ("image", position.map { "\($0)" } ?? ""), ("loaded", "\(isLoaded)"),
                ("count", "\(list.count)"), ("badges", "\(showsBadges)"), ("panel", "\(showsPanel)"),
                ("loads", "\(loads.active)"), ("done", "\(loads.finished)"), ("failed", "\(loads.failed)"),
            ], list, isListShown: position == nil)
    }
}
