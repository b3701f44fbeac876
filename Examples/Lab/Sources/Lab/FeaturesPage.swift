import CGTK
import Calotype
import ImageTargetsGTK
import LabModel

/// Priorities, previews, the tiers of the caches, and coalescing.
@MainActor final class FeaturesPage: Screen {
    let title = "Features"
    let layout = Layout(PackageResources.features_ui)

    /// The order in which the images of the list arrived.
    var arrived: [Int] { lab.arrivals.arrived }
    /// How many previews the slow image has had, and whether all of it is there.
    private(set) var (previews, isProgressiveLoaded) = (0, false)
    /// The tier of the last load; `nil` while it runs.
    private(set) var tier: CacheTier?
    /// The requests that a hundred loads led to; `nil` while they run.
    private(set) var fetches: Int?

    private let lab: Laboratory
    private let tiles: [(view: GTKImageView, order: Widget)]
    private let slow = GTKImageView(contentMode: .fit), tiered = GTKImageView(contentMode: .fit)
    /// The prefetches of the list, the plain loads and the events of the slow image, which end with this screen.
    private var prefetcher: ImagePrefetcher?
    private var tasks: [Task<Void, Never>] = []
    private var slowEvents: Task<Void, Never>?

    init(_ lab: Laboratory) {
        self.lab = lab
        tiles = (0..<PriorityList.count).map { _ in (GTKImageView(), Make.label("", "small", "numeric")) }
        for (index, tile) in tiles.enumerated() {
            let names: [LoadPurpose: String] = [.view: "visible", .plain: "plain", .prefetch: "prefetch"]
            gtk_widget_set_size_request(gtkCast(tile.view.widget), 64, 48)
            let purpose = Make.label(names[PriorityList.purpose(of: index)] ?? "", "small", "dim-label")
            for label in [tile.order, purpose] { gtk_widget_set_halign(label, GTK_ALIGN_CENTER) }
            let parts: [Widget] = [gtkCast(tile.view.widget), tile.order, purpose]
            gtk_flow_box_insert(
                gtkCast(layout.widget("tiles")), Make.box(GTK_ORIENTATION_VERTICAL, spacing: 2, parts), -1)
        }
        add(slow, 270, 180, to: "progressive")
        add(tiered, 160, 120, to: "tiers")
        layout.onClick("start-list") { [weak self] in self?.startList() }
        layout.onClick("start-progressive") { [weak self] in self?.startProgressive() }
        layout.onClick("load-tier") { [weak self] in self?.loadTier() }
        layout.onClick("clear-memory") { [weak self] in self?.clearMemory() }
        layout.onClick("clear-disk") { [weak self] in self?.clearDisk() }
        layout.onClick("restart") { [weak self] in self?.restart() }
        layout.onClick("coalesce") { [weak self] in self?.coalesce() }
    }

    isolated deinit { for task in tasks + [slowEvents].compactMap(\.self) { task.cancel() } }

    private func add(_ view: GTKImageView, _ width: Int32, _ height: Int32, to box: String) {
        gtk_widget_set_size_request(gtkCast(view.widget), width, height)
        gtk_widget_set_halign(gtkCast(view.widget), GTK_ALIGN_CENTER)
        gtk_box_append(gtkCast(layout.widget(box)), gtkCast(view.widget))
    }

    func update() {
        let orders = Dictionary(uniqueKeysWithValues: arrived.enumerated().map { ($1, $0 + 1) })
        for (index, tile) in tiles.enumerated() {
            gtk_label_set_text(gtkCast(tile.order), orders[index].map { "\($0)." } ?? "–")
        }
        if arrived.count == PriorityList.count {
            let isInOrder = PriorityList.isByPurpose(arrived)
            layout.setText("list-result", isInOrder ? "✓ Visible, then plain, then prefetched." : "In another order.")
        }
        let texts = lab.loader.statistics.caches.map { cache in
            "\(cache.name): hits \(cache.hits), misses \(cache.misses), entries \(cache.count), \(Format.bytes(cache.byteCount))"
        }
        layout.setText("tier-state", (texts + ["restarts: \(lab.restarts)"]).joined(separator: "\n"))
    }

    func setNarrow(_ isNarrow: Bool) {}

    // MARK: Buttons

    private func startList() {
        let list = PriorityList(lab.server)
        let loader = lab.loader
        lab.arrivals.watch(list.urls)
        layout.setText("list-result", "")
        for task in tasks { task.cancel() }
        tasks = []
        let prefetcher = ImagePrefetcher(loader: loader, maximumLoads: PriorityList.count)
        self.prefetcher = prefetcher
        lab.holdFetches()
        for (index, url) in list.urls.enumerated() {
            let view = tiles[index].view
            let target = view.makeTarget(loader: loader)
            view.clear()
            switch PriorityList.purpose(of: index) {
            case .view: target.setImage(url)
            case .plain:
                tasks.append(
                    Task {
                        guard let image = try? await loader.image(for: url) else { return }
                        view.setImage(image, transition: .none)
                    })
            case .prefetch:
                // The view takes the image from memory once it was prefetched.
                let show = { target.setImage(url) }
                tasks.append(
                    Task { [lab] in
                        while !lab.arrivals.arrived.contains(index) {
                            guard (try? await Task.sleep(for: .milliseconds(50))) != nil else { return }
                        }
                        show()
                    })
            }
        }
        prefetcher.start(list.urls.enumerated().filter { PriorityList.purpose(of: $0.offset) == .prefetch }.map(\.element))
        Task { await lab.releaseFetches(whenQueued: PriorityList.count) }
    }

    private func startProgressive() {
        let loader = lab.loader
        let url = lab.server.url("/progressive.jpg?show=\(UInt32.random(in: 0 ... .max))")
        var request = ImageRequest(url: url, size: slow.devicePixels(PixelSize(width: 270, height: 180)))
        request.options.previews = .incremental
        request.options.accessibilityLabel = "A landscape that becomes sharp"
        (previews, isProgressiveLoaded) = (0, false)
        slow.makeTarget(loader: loader).setImage(request)
        // A second load shares the work of the first, and counts its previews.
        slowEvents?.cancel()
        slowEvents = Task { [weak self] in
            for await event in loader.task(for: request).events { self?.showEvent(event) }
        }
    }

    private func showEvent(_ event: LoadEvent) {
        switch event {
        case .progress(let progress):
            layout.setText("previews", "\(previews) previews, \(Int((progress.fraction ?? 0) * 100)) %")
        case .preview: previews += 1
        case .finished(.success(let response)):
            isProgressiveLoaded = true
            layout.setText("previews", "\(previews) previews in \(Format.time(response.metrics.total))")
        case .finished(.failure(let failure)): layout.setText("previews", Format.sentence(failure))
        }
    }

    private func loadTier() {
        tier = nil
        var request = ImageRequest(url: lab.server.url("/tile/7.jpg"))
        request.options.showsTierBadge = true
        request.options.accessibilityLabel = "A landscape with the badge of its tier"
        let target = tiered.makeTarget(loader: lab.loader)
        tiered.clear()
        target.setImage(request) { [weak self] result in self?.tier = (try? result.get())?.tier }
    }

    private func clearMemory() { Task { try? await lab.clearMemory() } }

    private func clearDisk() { Task { try? await lab.clearDisk() } }

    private func restart() {
        Task {
            tiered.clear()
            try? await lab.restart()
        }
    }

    private func coalesce() {
        fetches = nil
        layout.setText("fetches", "…")
        Task {
            let count = try? await lab.coalesce(100)
            fetches = count
            layout.setText("fetches", count.map { "\($0)" } ?? "–")
            layout.setText("fetches-caption", count == 1 ? "fetch for 100 requests" : "fetches")
        }
    }
}
