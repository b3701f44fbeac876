public import ImageCore

/// Warms a loader's caches for images that will be wanted soon, such as those of the next rows of a list.
///
/// Prefetches start in the order of the calls, a few at a time, and every other load of the loader goes before them. A
/// request that is started twice is prefetched once, and a visible request for the same image joins the running work
/// and promotes it. A ``Report`` says what was loaded, skipped and failed.
///
/// Safe to use from any isolation; nothing blocks. A prefetcher that is deallocated stops its unfinished prefetches.
///
/// ```swift
/// func warm(_ next: [URL], with loader: ImageLoader) async {
///     let prefetcher = ImagePrefetcher(loader: loader, destination: .disk)
///     prefetcher.start(next)
///     let report = await prefetcher.waitUntilIdle()
///     print("\(report.loaded) loaded, \(report.skipped) there already, \(report.failed) failed")
/// }
/// ```
public final class ImagePrefetcher: Sendable {
    /// Which cache is warmed.
    public enum Destination: Hashable, Sendable {
        /// The memory cache, and the data cache on the way: fetched, decoded and processed.
        case memory
        /// The data cache alone: fetched, and stored when a decoder recognizes the header. Nothing is decoded. Local
        /// sources, and requests whose options keep them from the data cache, are skipped.
        case disk
    }

    /// What has become of the requests that were started since the prefetcher was last idle.
    public struct Report: Sendable {
        /// How many were started, without those that waited or ran already.
        public fileprivate(set) var total = 0
        /// How many were loaded into the cache.
        public fileprivate(set) var loaded = 0
        /// How many needed no load: the cache has them, or may not store them.
        public fileprivate(set) var skipped = 0
        /// How many failed.
        public fileprivate(set) var failed = 0
        /// How many were stopped or cancelled before their end.
        public fileprivate(set) var stopped = 0
        /// The failures, at most the first 100.
        public fileprivate(set) var failures: [(request: ImageRequest, failure: LoadFailure)] = []

        /// How many of ``total`` have ended, in whatever way.
        public var ended: Int { loaded + skipped + failed + stopped }
    }

    /// How a request ended that was not stopped.
    enum End: Sendable {
        case loaded, skipped
        case failed(LoadFailure)
    }

    private typealias Queue = PrefetchQueue<ImageKey, ImageRequest, ImageTask>

    private struct State {
        var queue: Queue
        var priority: LoadPriority
        /// Whether a caller starts loads; the others leave that to it.
        var isStarting = false
        var waiters: [CheckedContinuation<Report, Never>] = []
        /// Without the number of stopped requests, which follows from the others.
        private var counts = Report()
        /// How many requests had ended when the last progress was reported.
        private var reportedEnds = 0

        init(queue: Queue, priority: LoadPriority) { (self.queue, self.priority) = (queue, priority) }

        var report: Report {
            var report = counts
            report.stopped = counts.total - counts.ended - queue.waiting - queue.running
            return report
        }

        /// The report, if a request has ended since the last call.
        mutating func takeNews() -> Report? {
            let report = report
            defer { reportedEnds = report.ended }
            return report.ended == reportedEnds ? nil : report
        }

        /// The calls of ``waitUntilIdle()`` that may return.
        mutating func takeWaiters() -> [CheckedContinuation<Report, Never>] {
            guard queue.isEmpty else { return [] }
            defer { waiters = [] }
            return waiters
        }

        /// Returns the counts of the requests before, if they are over. The caller releases them after the lock.
        mutating func add(_ request: ImageRequest, for key: ImageKey) -> Report? {
            var last: Report?
            if queue.isEmpty { (last, counts, reportedEnds) = (counts, Report(), 0) }
            if queue.add(request, for: key) { counts.total += 1 }
            return last
        }

        mutating func ended(_ ticket: Queue.Ticket, _ request: ImageRequest, _ end: End?) {
            guard queue.ended(ticket) else { return }
            switch end {
            case .loaded: counts.loaded += 1
            case .skipped: counts.skipped += 1
            case .failed(let failure):
                counts.failed += 1
                if counts.failures.count < 100 { counts.failures.append((request, failure)) }
            case nil: break
            }
        }

        /// Whether the caller is the one that starts loads.
        mutating func claimStarting() -> Bool {
            defer { isStarting = true }
            return !isStarting
        }

        /// The next request to start. The caller that gets `nil` stops starting loads.
        mutating func takeNext() -> Queue.Entry? {
            let next = queue.take()
            isStarting = next != nil
            return next
        }
    }

    private let loader: ImageLoader
    private let destination: Destination
    private let owner: LoadOwner?
    private let onProgress: (@Sendable (Report) -> Void)?
    private let state: Lock<State>

    /// Creates a prefetcher that does nothing until `start(_:)` is called.
    ///
    /// - Parameters:
    ///   - loader: the loader whose caches are warmed.
    ///   - destination: the memory cache by default.
    ///   - priority: the priority among prefetches; every other load goes first whatever its priority.
    ///     ``LoadPriority/low``.
    ///   - maximumLoads: how many run at a time, at least 1; 4. This is below the loader's limit per host, so that
    ///     slots stay free for visible images.
    ///   - owner: the owner of the requests that name none, so that ``ImageLoader/cancel(owner:)`` stops them; `nil` by
    ///     default.
    ///   - onProgress: called when requests have ended, on any thread, sometimes once for several; ``Report/ended`` of
    ///     ``Report/total`` is the progress. `nil` by default.
    public init(
        loader: ImageLoader, destination: Destination = .memory, priority: LoadPriority = .low, maximumLoads: Int = 4,
        owner: LoadOwner? = nil, onProgress: (@Sendable (Report) -> Void)? = nil
    ) {
        (self.loader, self.destination, self.owner, self.onProgress) = (loader, destination, owner, onProgress)
        state = Lock(State(queue: Queue(limit: maximumLoads), priority: priority))
        loader.coordinator.prefetchers.add(self) { [weak self] owner in self?.stopWaiting(owner) }
    }

    deinit {
        loader.coordinator.prefetchers.remove(self)
        stopAll()
    }

    // MARK: What to prefetch

    /// Prefetches the images at URLs.
    ///
    /// - Parameters:
    ///   - urls: the URLs of the images.
    ///   - size: the size with which the views will load them, in pixels; `nil`, the default, for that of the loader's
    ///     options.
    ///   - processors: the processors with which the views will load them; an empty list, the default, for those of the
    ///     loader's options.
    public func start(_ urls: some Sequence<URL>, size: PixelSize? = nil, processors: [any Processing] = []) {
        start(urls.map { ImageRequest(url: $0, size: size, processors: processors) })
    }

    /// Prefetches requests. One that is waiting or running already is not queued again.
    public func start(_ requests: some Sequence<ImageRequest>) {
        for var request in Array(requests) {
            request.purpose = .prefetch
            request.owner = request.owner ?? owner
            let key = Self.key(of: request)
            _ = state.withLock { $0.add(request, for: key) }
        }
        startMore()
    }

    /// Stops prefetching the images at URLs. Work that other loads await continues.
    ///
    /// - Parameters:
    ///   - urls: the URLs of the images.
    ///   - size: the size with which they were started.
    ///   - processors: the processors with which they were started.
    public func stop(_ urls: some Sequence<URL>, size: PixelSize? = nil, processors: [any Processing] = []) {
        stop(urls.map { ImageRequest(url: $0, size: size, processors: processors) })
    }

    /// Stops prefetching requests. Work that other loads await continues.
    public func stop(_ requests: some Sequence<ImageRequest>) {
        let keys = requests.map(Self.key)
        cancel(change { state in keys.compactMap { state.queue.stop($0) } })
        startMore()
    }

    /// Stops all prefetches.
    public func stopAll() { cancel(change { $0.queue.stopAll() }) }

    // MARK: Control

    /// Whether prefetches that have not begun are held back; those that run continue. `false` by default.
    public var isPaused: Bool {
        get { state.withLock { $0.queue.isPaused } }
        set { startMore { $0.queue.isPaused = newValue } }
    }

    /// Among prefetches. A change reaches those that run and those that follow.
    public var priority: LoadPriority {
        get { state.withLock { $0.priority } }
        set {
            let handles = state.withLock { state in
                state.priority = newValue
                return state.queue.handles
            }
            for handle in handles { handle.priority = newValue }
        }
    }

    /// How many requests wait for their turn, and how many run.
    public var activity: (waiting: Int, running: Int) { state.withLock { ($0.queue.waiting, $0.queue.running) } }

    /// What has become of the requests so far; after the end, of the last ones.
    public var report: Report { state.withLock { $0.report } }

    /// Returns when nothing waits or runs.
    ///
    /// - Returns: what has become of the requests since the prefetcher was last idle.
    @discardableResult
    public func waitUntilIdle() async -> Report {
        await withCheckedContinuation { continuation in
            let report = state.withLock { state -> Report? in
                if !state.queue.isEmpty { state.waiters.append(continuation) }
                return state.queue.isEmpty ? state.report : nil
            }
            if let report { continuation.resume(returning: report) }
        }
    }

    // MARK: Loads

    /// Changes the state. Stopped requests are released after the lock, since what they capture may call the
    /// prefetcher.
    private func change<R: Sendable>(_ body: (inout State) -> R) -> R {
        state.withLock { (body(&$0), $0.queue.takeDropped()) }.0
    }

    /// Removes the waiting requests of an owner, or all for `nil`. Those that run are the loader's to cancel.
    private func stopWaiting(_ owner: LoadOwner?) {
        change { state in
            state.queue.stopWaiting { request in owner.map { request.owner == $0 } ?? true }
        }
        reportEnds()
    }

    /// Starts as many loads as the limit allows. One caller at a time does so, so that a load that ends at once does
    /// not recurse.
    ///
    /// - Parameter event: the event before, applied under the same lock.
    private func startMore(after event: @Sendable (inout State) -> Void = { _ in }) {
        let isStarting = state.withLock { state in
            event(&state)
            return state.claimStarting()
        }
        if isStarting {
            while let next = change({ $0.takeNext() }) { begin(next.ticket, next.request) }
        }
        reportEnds()
    }

    private func reportEnds() {
        let (news, report, waiters) = state.withLock { state in (state.takeNews(), state.report, state.takeWaiters()) }
        if let news { onProgress?(news) }
        for waiter in waiters { waiter.resume(returning: report) }
    }

    private func begin(_ ticket: Queue.Ticket, _ request: ImageRequest) {
        let handle = loader.prefetch(request, to: destination, priority: priority) { [weak self] end in
            self?.ended(ticket, request, end)
        }
        guard let handle else { return }
        // The load may have ended already. It may also have been stopped before it had a handle, which is cancelled
        // here.
        if !state.withLock({ $0.queue.began(ticket, handle) }) { handle.cancel() }
    }

    private func ended(_ ticket: Queue.Ticket, _ request: ImageRequest, _ end: End?) {
        startMore { $0.ended(ticket, request, end) }
    }

    private func cancel(_ handles: [ImageTask]) {
        for handle in handles { handle.cancel() }
        reportEnds()
    }

    /// Two requests are the same when they name one resource, and the options of the requests themselves make the same
    /// image. The layers below and above are the same for all.
    private static func key(of request: ImageRequest) -> ImageKey {
        guard !request.options.isEmpty, let options = try? OptionsBuilder(request: request.options).build() else {
            return ImageKey(resource: request.resource)
        }
        return LoadPlan(LoadID(rawValue: 0), request, MergedOptions(options)).imageKey
    }
}
