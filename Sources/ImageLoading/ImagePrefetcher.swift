public import ImageCore

/// Warms a loader's caches for images that will be wanted soon, such as those of the next rows of a list.
///
/// Prefetches start in the order of the calls, a few at a time, and every other load of the loader goes before them. A
/// request that is started twice is prefetched once, and a visible request for the same image joins the running work
/// and promotes it. Failures are reported to the loader's observers only.
///
/// Safe to use from any isolation; nothing blocks. A prefetcher that is deallocated stops its unfinished prefetches.
///
/// ```swift
/// func warm(_ next: [URL], with loader: ImageLoader) async {
///     let prefetcher = ImagePrefetcher(loader: loader, destination: .disk)
///     prefetcher.start(next)
///     await prefetcher.waitUntilIdle()
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

    private typealias Queue = PrefetchQueue<ImageKey, ImageRequest, ImageTask>

    private struct State {
        var queue: Queue
        var priority: LoadPriority
        /// Whether a caller starts loads; the others leave that to it.
        var isStarting = false
        var waiters: [CheckedContinuation<Void, Never>] = []

        /// The calls of ``waitUntilIdle()`` that may return.
        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            guard queue.isEmpty else { return [] }
            defer { waiters = [] }
            return waiters
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
    public init(
        loader: ImageLoader, destination: Destination = .memory, priority: LoadPriority = .low, maximumLoads: Int = 4,
        owner: LoadOwner? = nil
    ) {
        (self.loader, self.destination, self.owner) = (loader, destination, owner)
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
            state.withLock { _ = $0.queue.add(request, for: key) }
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

    /// Returns when nothing waits or runs.
    public func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.queue.isEmpty { state.waiters.append(continuation) }
                return state.queue.isEmpty
            }
            if isIdle { continuation.resume() }
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
        resumeWaiters()
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
        resumeWaiters()
    }

    private func resumeWaiters() {
        for waiter in state.withLock({ $0.takeWaiters() }) { waiter.resume() }
    }

    private func begin(_ ticket: Queue.Ticket, _ request: ImageRequest) {
        let handle = loader.prefetch(request, to: destination, priority: priority) { [weak self] in self?.ended(ticket) }
        guard let handle else { return ended(ticket) }
        // The load may have ended already. It may also have been stopped before it had a handle, which is cancelled
        // here.
        if !state.withLock({ $0.queue.began(ticket, handle) }) { handle.cancel() }
    }

    private func ended(_ ticket: Queue.Ticket) { startMore { $0.queue.ended(ticket) } }

    private func cancel(_ handles: [ImageTask]) {
        for handle in handles { handle.cancel() }
        resumeWaiters()
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
