public import ImageCore

/// A running load: its result, its events, its priority, and the way to cancel it.
///
/// Safe to use from any isolation. Releasing the last reference does not cancel the load; the engine keeps the task
/// until the end.
public final class ImageTask: LoadHandle {
    private struct State {
        var subscription: SubscriptionID?
        var priority: LoadPriority
        var isCancelled = false
        /// Whether the end is visible. The loader and its observers are notified before.
        var hasEnded = false
        /// Whether ``preview`` is a larger cached image, which is better than any other preview.
        var showsLargerImage = false
        /// The end waits for ``release()``; `heldEnd` is set once the load has ended.
        var isHeld = false
        var heldEnd: (@Sendable () -> Void)?
        var result: Result<LoadOutput, LoadFailure>?
        var progress: LoadProgress?
        var preview: DecodedImage?
        /// Called at the end.
        var waiters: [@Sendable () -> Void] = []
        var events: EventQueue
        var fallbacks = Fallbacks()
        var joinedNarrowerFetch = false
        var deadline: DeadlineTimer?
        /// The loads that end with this one: of the small version, and those that interceptors start.
        var companions: [ImageTask] = []
    }

    /// What has become of a load.
    public enum Status: Hashable, Sendable {
        /// The load runs, or waits.
        case running
        /// The image is there.
        case loaded
        /// The load failed.
        case failed
        /// The load was cancelled before its end.
        case cancelled
    }

    public var id: LoadID { plan.id }
    /// The request that the load was started with.
    public var request: ImageRequest { plan.request }
    /// The plan for the first source; each fallback has another plan.
    let plan: LoadPlan
    /// Whether the load reports progress and previews.
    let wantsProgress: Bool
    /// Whether an interceptor started the load as a part of another one: observers do not see it as a load.
    let isPart: Bool
    private let coordinator: LoadCoordinator
    private let startTime: ContinuousClock.Instant
    private let state: Lock<State>

    init(
        _ plan: LoadPlan, wantsProgress: Bool, isPart: Bool = false, coordinator: LoadCoordinator,
        onEvent: (@Sendable (LoadEvent) -> Void)?
    ) {
        (self.plan, self.isPart) = (plan, isPart)
        self.coordinator = coordinator
        startTime = ContinuousClock.now
        self.wantsProgress = wantsProgress
        // The listener is called for the first time after the call that starts the load has returned.
        state = Lock(State(priority: plan.priority, events: EventQueue(onEvent)))
    }

    /// The image with the metrics of its load, when the load has ended. Cancelling the awaiting task cancels the load.
    ///
    /// - Throws: ``LoadFailure/failed(_:)`` with the error, or ``LoadFailure/cancelled``.
    public var response: ImageResponse {
        get async throws(LoadFailure) {
            if !hasEnded { await untilEnd() }
            return try ending.get()
        }
    }

    /// The image, when the load has ended. Cancelling the awaiting task cancels the load.
    ///
    /// - Throws: ``LoadFailure/failed(_:)`` with the error, or ``LoadFailure/cancelled``.
    public var image: DecodedImage {
        get async throws(LoadFailure) { try await response.image }
    }

    /// How the load has ended, without waiting; `nil` while it runs.
    public var result: Result<ImageResponse, LoadFailure>? { hasEnded ? ending : nil }

    /// What has become of the load, without waiting.
    public var status: Status {
        switch result {
        case nil: .running
        case .success: .loaded
        case .failure(.failed): .failed
        case .failure(.cancelled): .cancelled
        }
    }

    /// How many bytes have arrived, without waiting; `nil` if none have. A fallback source begins again.
    public var progress: LoadProgress? { state.withLock { $0.progress } }

    /// Progress, previews where ``LoadOptions/previews`` asks for them, and the end. A stream that is opened late
    /// begins with the current progress and preview, or, after the end, with the last progress and the terminal event.
    /// Any number of streams may be open; ending one cancels nothing.
    public var events: AsyncStream<LoadEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: LoadEvent.self)
        let replay = state.withLock { state -> [LoadEvent] in
            var replay: [LoadEvent] = []
            if let progress = state.progress { replay.append(.progress(progress)) }
            if let preview = state.preview { replay.append(.preview(preview)) }
            if state.hasEnded, let result = state.result {
                replay.append(.finished(result.response))
            } else {
                state.events.add { event in
                    continuation.yield(event)
                    if case .finished = event { continuation.finish() }
                }
            }
            // Under the lock, so that no later event overtakes the replay; yielding only fills the stream's buffer.
            for event in replay { continuation.yield(event) }
            return replay
        }
        if case .finished = replay.last { continuation.finish() }
        return stream
    }

    public var priority: LoadPriority {
        get { state.withLock { $0.priority } }
        set {
            let (subscription, companions) = state.withLock { state in
                state.priority = newValue
                return (state.subscription, state.companions)
            }
            if let subscription { coordinator.setPriority(subscription, newValue) }
            for companion in companions { companion.priority = newValue }
        }
    }

    /// Cancels the load. Has no effect after its end, except that a completion or a progress closure that is scheduled
    /// on the caller's queue or actor is not called any more.
    public func cancel() {
        let (subscription, isFirst) = state.withLock { state in
            defer { state.isCancelled = true }
            return (state.subscription, !state.isCancelled && state.result == nil)
        }
        guard isFirst else { return }
        if let subscription { coordinator.leave(subscription) }
        finish(.failure(.cancelled))
    }

    /// Returns when the load has ended. Cancelling the awaiting task cancels the load.
    func untilEnd() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                whenEnded { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    /// The result of a load that has ended.
    var outcome: Result<LoadOutput, LoadFailure> { state.withLock { $0.result ?? .failure(.cancelled) } }

    /// The result of a load of an image that has ended.
    var ending: Result<ImageResponse, LoadFailure> { outcome.response }

    /// Calls back with the result, once: here and now when the load has ended already.
    func whenFinished(_ body: @escaping @Sendable (Result<ImageResponse, LoadFailure>) -> Void) {
        whenEnded { [self] in body(ending) }
    }

    /// Calls back at the end, once: here and now when the load has ended already.
    func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.waiters.append(body) }
            return state.hasEnded
        }
        if hasEnded { body() }
    }

    // MARK: Called by the engine

    /// The call that starts the load is about to return: events may be delivered from now on.
    func startDelivering() {
        if state.withLock({ $0.events.startDelivering() }) { Task { deliverPending() } }
    }

    /// What to try after a failure; `nil` where nothing is left, or the load has ended.
    ///
    /// - Parameter isBound: whether the error is the load's own (``LoadCoordinator/isBound(_:by:)``).
    func nextRequest(after error: ImageError, isBound: Bool) -> ImageRequest? {
        state.withLock { state in
            guard state.result == nil else { return nil }
            let next = state.fallbacks.next(of: plan.request, after: error, isBound: isBound)
            if next != nil { state.progress = nil }
            return next
        }
    }

    /// Ends the load at its deadline, unless it has ended before.
    func startDeadline() {
        guard let deadline = plan.deadline, let limit = plan.options.deadline else { return }
        let timer = DeadlineTimer(deadline, clock: coordinator.components.clock) { [weak self] in self?.expire(after: limit) }
        let isLate = state.withLock { state in
            if state.result == nil { state.deadline = timer }
            return state.result != nil
        }
        if isLate { timer.cancel() }
    }

    private func expire(after limit: Duration) {
        if let subscription = takeSubscription() { coordinator.leave(subscription) }
        var error = ImageError.deadlineExceeded(
            by: request.description, after: limit, causes: state.withLock { $0.fallbacks.failures })
        error.source = request.description
        finish(failing: error)
    }

    private func finish(failing error: ImageError) {
        var error = error
        var metrics = error.metrics ?? LoadMetrics()
        metrics.total = elapsed
        error.metrics = metrics
        finish(.failure(.failed(error)))
    }

    /// Ties another load to this one: it ends no later, and has the same priority.
    func attach(_ companion: ImageTask) {
        let (isLate, priority) = state.withLock { state in
            if state.result == nil { state.companions.append(companion) }
            if companion.isPart { state.progress = nil }
            return (state.result != nil, state.priority)
        }
        if isLate { companion.cancel() } else if companion.priority != priority { companion.priority = priority }
    }

    /// Forgets a load that has ended.
    func detach(_ companion: ImageTask) { state.withLock { $0.companions.removeAll { $0 === companion } } }

    /// Whether ``cancel()`` was called, also after the end.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether the load joined a fetch with limits that the load does not have.
    var joinedNarrowerFetch: Bool { state.withLock { $0.joinedNarrowerFetch } }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// The load has subscribed to its work. Returns its present priority, or `nil` when it was cancelled before that,
    /// or has ended already: it must then unsubscribe.
    ///
    /// - Parameter joiningNarrowerFetch: whether the load joined a fetch with limits that the load does not have.
    func didSubscribe(_ subscription: SubscriptionID, joiningNarrowerFetch: Bool) -> LoadPriority? {
        state.withLock { state in
            guard !state.isCancelled, state.result == nil else { return nil }
            (state.subscription, state.joinedNarrowerFetch) = (subscription, joiningNarrowerFetch)
            return state.priority
        }
    }

    /// The subscription, which the caller ends; `nil` if the load has none.
    func takeSubscription() -> SubscriptionID? { state.withLock { $0.subscription.take() } }

    func report(_ progress: LoadProgress) {
        send(.progress(progress)) { state in
            // Chunks may be reported from different threads; progress never goes back.
            guard progress.received >= state.progress?.received ?? 0 else { return false }
            state.progress = progress
            return true
        }
    }

    /// Shows the small version, unless there is something better already.
    func showLowResolution(_ preview: DecodedImage) {
        send(.preview(preview)) { state in
            guard state.preview == nil else { return false }
            state.preview = preview
            return true
        }
    }

    /// Shows a preview, unless a larger cached image is shown.
    ///
    /// - Parameter isLargerImage: whether the preview is a larger cached image; `false`.
    func show(_ preview: DecodedImage, isLargerImage: Bool = false) {
        send(.preview(preview)) { state in
            guard isLargerImage || !state.showsLargerImage else { return false }
            (state.preview, state.showsLargerImage) = (preview, isLargerImage)
            return true
        }
    }

    /// Reports the event of a part of the load, but not its end.
    func pass(_ event: LoadEvent) {
        switch event {
        case .progress(let progress): report(progress)
        case .preview(let preview): show(preview)
        case .finished: break
        }
    }

    /// Ends the load with an error, which names those of the sources that were tried before.
    func fail(_ error: ImageError) {
        var error = error
        error.causes = state.withLock { $0.fallbacks.failures } + error.causes
        finish(failing: error)
    }

    /// Ends the load; only the first end counts.
    ///
    /// The loader and its observers are notified first, so that a caller that sees the end finds it counted.
    ///
    /// - Parameter deliveryBegan: when the result was at hand, where observers want to know.
    func finish(_ result: Result<LoadOutput, LoadFailure>, deliveryBegan: ContinuousClock.Instant? = nil) {
        let isFirst = state.withLock { state in
            guard state.result == nil else { return false }
            guard !state.isHeld else {
                if state.heldEnd == nil {
                    state.heldEnd = { [self] in finish(result, deliveryBegan: deliveryBegan) }
                }
                return false
            }
            state.result = result
            state.subscription = nil
            state.preview = nil
            return true
        }
        guard isFirst else { return }
        coordinator.ended(self, result, deliveryBegan)
        let (waiters, companions, deadline, delivers) = state.withLock { state in
            state.hasEnded = true
            defer { (state.waiters, state.companions) = ([], []) }
            return (
                state.waiters, state.companions, state.deadline.take(),
                state.events.append { .finished(result.response) }
            )
        }
        if delivers { deliverPending() }
        for companion in companions { companion.cancel() }
        deadline?.cancel()
        for waiter in waiters { waiter() }
    }

    /// Ends the load with the output of its job.
    func finish(_ output: LoadOutput, isCoalesced: Bool, deliveryBegan: ContinuousClock.Instant?) {
        var metrics = output.metrics
        if isCoalesced { metrics.isCoalesced = true }
        metrics.total = elapsed
        finish(.success(LoadOutput(output.content, metrics)), deliveryBegan: deliveryBegan)
    }

    /// Delays the end until ``release()``, so that observers get earlier events first.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Ends the load if it would have ended since ``hold()``.
    func release() {
        let end = state.withLock { state in
            state.isHeld = false
            return state.heldEnd.take()
        }
        end?()
    }

    /// The time since the load began.
    var elapsed: Duration { ContinuousClock.now - startTime }

    /// Changes the state and, if the change is accepted, tells the listeners, one event at a time and in order, outside
    /// the lock. Nothing is sent after the end.
    private func send(_ event: LoadEvent, _ change: (inout State) -> Bool) {
        let delivers = state.withLock { state in
            state.result == nil && change(&state) && state.events.append { event }
        }
        if delivers { deliverPending() }
    }

    private func deliverPending() {
        while let (event, listeners) = state.withLock({ $0.events.next() }) {
            for listener in listeners { listener(event) }
        }
    }
}
