internal import ImageCore

/// Merges a request's options, subscribes loads to shared work, and delivers the results.
///
/// The two state machines, ``Sharing`` and ``Scheduler``, are values behind one lock that is held only for a transition, never
/// while foreign code runs. That is cheaper than an actor, whose every call from outside costs a hop, and lets a load start
/// synchronously from anywhere. ``Pipeline`` is what the work does.
final class LoadCoordinator: Sendable {
    struct Control {
        var defaults: LayeredDefaults
        var isClosed = false
        var nextID: UInt64 = 0
        /// How many results are being stored, and the calls of ``flush()`` that wait until there are none.
        var stores = 0
        var storeWaiters: [CheckedContinuation<Void, Never>] = []
        /// Follows the network's status.
        var follower: Task<Void, Never>?

        mutating func makeID() -> LoadID {
            nextID += 1
            return LoadID(rawValue: nextID)
        }
    }

    let parts: LoaderParts
    let observers: [any LoadObserving]
    let state: Lock<LoaderState>
    let control: Lock<Control>
    let counters = LoadCounters()
    let ownedLoads = OwnedLoads()

    init(_ configuration: ImageLoader.Configuration) {
        parts = LoaderParts(configuration)
        observers = configuration.observers
        control = Lock(
            Control(
                defaults: LayeredDefaults(
                    global: configuration.globalOptions, runtime: OptionLayer(), encodes: configuration.encoder != nil)))
        state = Lock(LoaderState(configuration.limits))
    }

    var pipeline: Pipeline { Pipeline(parts: parts, coordinator: self) }

    /// Changes the state under the lock, and then does outside it what follows from the change.
    @discardableResult
    func send<R: Sendable>(_ event: (inout LoaderState) -> R) -> R {
        let (result, followup) = state.withLock { state in
            let result = event(&state)
            return (result, state.settle())
        }
        if !followup.isEmpty { execute(followup) }
        return result
    }

    private func execute(_ followup: LoaderState.Followup) {
        for (work, cancelsTask) in followup.stopped {
            work.token.cancel()
            if cancelsTask { work.canceller.cancel() }
            work.endPreviews()
        }
        for work in followup.evicted { work.endPreviews() }
        for (key, preview) in followup.keptPreviews { parts.storePreview(preview.image, for: key) }
        for continuation in followup.cancelledSlots { continuation.resume(throwing: CancellationError()) }
        for continuation in followup.cancelledResults { continuation.resume(throwing: CancellationError()) }
        for continuation in followup.granted { continuation.resume() }
    }

    func observe(_ observation: @autoclosure () -> LoadObservation, _ plan: LoadPlan) {
        guard !observers.isEmpty else { return }
        let observation = observation()
        for observer in observers { observer.observe(observation, of: plan.id, request: plan.request) }
    }

    // MARK: Loads

    /// Merges the three layers of options into a plan.
    ///
    /// - Parameters:
    ///   - priority: the priority where no layer of the request's or above it sets one.
    ///   - first: the plan for the first source of the load, where this one is for a fallback source. The load keeps its id and
    ///     its deadline.
    func plan(
        _ request: ImageRequest, goal: LoadGoal = .image, priority: LoadPriority? = nil, continuing first: LoadPlan? = nil
    ) throws(LoadFailure) -> LoadPlan {
        let began = observers.isEmpty ? nil : ContinuousClock.now
        let (id, defaults) = control.withLock { (first?.id ?? $0.makeID(), $0.defaults) }
        let merged: MergedOptions
        do {
            merged = try defaults.options(for: request)
        } catch {
            var error = error
            error.source = request.description
            throw .failed(error)
        }
        let deadline = first.map(\.deadline) ?? merged.options.deadline.map { parts.deadline(after: $0) }
        return LoadPlan(
            id, request, merged, goal: goal, priority: priority.flatMap { defaults.yields(request) ? $0 : nil },
            deadline: deadline, planning: began.map { ContinuousClock.now - $0 } ?? .zero)
    }

    /// The image of a request in the memory cache, or the plan of the load that is needed.
    enum CacheLookup {
        case hit(DecodedImage)
        case miss(LoadPlan)
    }

    /// Looks the image up in the memory cache, on the caller's thread. The lookup needs no plan for a request that sets no
    /// options of its own, unless there are observers.
    func cachedImage(for request: ImageRequest) throws(LoadFailure) -> CacheLookup {
        guard request.options.isEmpty, observers.isEmpty, let memory = parts.memoryCache,
            let variant = control.withLock({ $0.defaults }).plainVariant
        else {
            let plan = try plan(request)
            return memoryHit(plan).map { .hit($0) } ?? .miss(plan)
        }
        if let image = memory.image(for: ImageKey(resource: request.resource, variant: variant)), !image.isPreview {
            return .hit(image)
        }
        return .miss(try plan(request))
    }

    /// The image in the memory cache. Observers see a hit as a whole load.
    private func memoryHit(_ plan: LoadPlan) -> DecodedImage? {
        guard let hit = parts.cachedImage(for: plan), !hit.isPreview else { return nil }
        observeStart(plan)
        observeMemoryCache(isHit: true, plan)
        observeEnd(.success(ImageResponse(image: hit, tier: .memory)), plan)
        return hit
    }

    private func observeStart(_ plan: LoadPlan) {
        observe(.started, plan)
        observe(.stageBegan(.request), plan)
        observe(.stageEnded(.request, plan.planning), plan)
    }

    private func observeEnd(_ result: Result<ImageResponse, LoadFailure>, _ plan: LoadPlan) {
        if case .success = result {
            observe(.stageBegan(.deliver), plan)
            observe(.stageEnded(.deliver, .zero), plan)
        }
        observe(.finished(result), plan)
    }

    private func observeMemoryCache(isHit: Bool, _ plan: LoadPlan) {
        observe(.stageBegan(.memoryCache), plan)
        observe(.cacheLookup(.memory, isHit: isHit), plan)
        observe(.stageEnded(.memoryCache, .zero), plan)
    }

    /// Loads an image that is not in the memory cache. Returns the load when it has ended.
    func load(_ plan: LoadPlan) async -> ImageTask {
        guard !Task.isCancelled else {
            let task = makeTask(plan, wantsProgress: false, nil)
            task.finish(.failure(.cancelled))
            return task
        }
        let task = start(plan, readsMemory: false, wantsProgress: false, onEvent: nil)
        await task.untilEnd()
        return task
    }

    /// Plans and starts a load. An invalid option fails the load.
    func start(_ request: ImageRequest, onEvent: (@Sendable (LoadEvent) -> Void)?) -> ImageTask {
        do {
            return start(try plan(request), wantsProgress: true, onEvent: onEvent)
        } catch {
            let task = makeTask(
                LoadPlan(control.withLock { $0.makeID() }, request, .standard), wantsProgress: true, onEvent)
            task.finish(.failure(error))
            task.begun()
            return task
        }
    }

    /// Starts a load. It ends before this call returns when the memory cache has its image.
    ///
    /// - Parameters:
    ///   - readsMemory: whether the image is looked up in the memory cache; not, where the caller has done that.
    ///   - wantsProgress: whether the task gets progress and previews; a plain `await` has no use for them.
    func start(
        _ plan: LoadPlan, readsMemory: Bool = true, wantsProgress: Bool,
        onEvent: (@Sendable (LoadEvent) -> Void)?
    ) -> ImageTask {
        let task = makeTask(plan, wantsProgress: wantsProgress, onEvent)
        task.startDeadline(parts.clock)
        begin(task, plan, readsMemory: readsMemory)
        if wantsProgress, let source = plan.request.lowResolution, !task.hasEnded {
            startLowResolution(plan.request.replacing(source), for: task)
        }
        if onEvent != nil { task.begun() }
        return task
    }

    /// Loads the small version of an image, which is shown until there is something better.
    private func startLowResolution(_ request: ImageRequest, for task: ImageTask) {
        guard let plan = try? plan(request) else { return }
        let small = start(plan, wantsProgress: false) { [weak task] event in
            guard case .finished(.success(let response)) = event else { return }
            var preview = response.image
            preview.isPreview = true
            task?.showLowResolution(preview)
        }
        task.attach(lowResolution: small)
    }

    /// Subscribes a task to the work that makes its result, or ends it at once with an image from the memory cache.
    ///
    /// - Parameter readsMemory: whether the image is looked up in the memory cache; not, where the caller has done that.
    private func begin(_ task: ImageTask, _ plan: LoadPlan, readsMemory: Bool) {
        let cached = readsMemory ? parts.cachedImage(for: plan) : nil
        let isHit = cached.map { !$0.isPreview } ?? false
        if parts.readsMemoryCache(plan) { observeMemoryCache(isHit: isHit, plan) }
        if let cached, isHit { return task.finish(.success(ImageResponse(image: cached, tier: .memory))) }
        if let cached, plan.options.previews != .none { task.show(cached) }
        guard !control.withLock({ $0.isClosed }) else { return task.finish(.failure(.cancelled)) }
        // The work may end on another thread before the observers know of the join.
        if !observers.isEmpty { task.hold() }
        let subscribed = subscribe(task, plan)
        if let joined = subscribed.joined { observe(.joined(joined), plan) }
        if !observers.isEmpty { task.release() }
        if let progress = subscribed.progress { task.report(progress) }
        if let preview = subscribed.preview { task.show(preview.image) }
        if let work = subscribed.new { start(work) }
        if let result = subscribed.result {
            if plan.subscriberOptions.targets.contains(.memory), case .image(let staged) = result, !staged.image.isPartial {
                parts.memoryCache?.store(staged.image, for: plan.imageKey, priority: plan.options.cachePriority)
            }
            end(task, .success(result), isCoalesced: true)
        }
        guard let subscription = subscribed.subscription else { return }
        // The load may have been cancelled, or its priority changed, before it had a subscription.
        guard let priority = task.started(subscription) else { return leave(subscription) }
        if priority != plan.priority { setPriority(subscription, priority) }
    }

    /// How a load found its work.
    private struct Subscribed: Sendable {
        var subscription: SubscriptionID?
        /// Work that is new and must be started.
        var new: SharedWork?
        /// The load that began the work.
        var joined: LoadID?
        var progress: LoadProgress?
        var preview: StagedImage?
        /// The result of finished work.
        var result: WorkResult?
    }

    private func subscribe(_ task: ImageTask, _ plan: LoadPlan) -> Subscribed {
        let key = plan.workKey(parts)
        var options = plan.subscriberOptions
        options.wantsProgress = task.wantsProgress
        if task.wantsProgress { options.previews = plan.options.previews }
        let scale = key.kind == .image && plan.options.processors.isEmpty ? plan.scale : nil
        return send { state in
            var subscribed = Subscribed()
            switch state.sharing.subscribe(to: key, load: plan.id, scale: scale, options: options) {
            case .began(let id, let subscription):
                let work = SharedWork(id, key: key, plan: plan, canceller: TaskCanceller())
                state.works[id] = LoaderState.Work(work)
                state.tasks[subscription] = task
                (subscribed.new, subscribed.subscription) = (work, subscription)
            case .joined(let id, let subscription):
                state.tasks[subscription] = task
                (subscribed.joined, subscribed.subscription) = (state.sharing.works[id]?.load, subscription)
                if task.wantsProgress { subscribed.progress = state.progress(of: id) }
                if options.previews != .none { subscribed.preview = state.works[id]?.preview }
            case .finished(let id):
                (subscribed.joined, subscribed.result) = (state.sharing.works[id]?.load, state.works[id]?.result)
            }
            return subscribed
        }
    }

    /// The work of a load ended: the load ends too, unless there is another source to try.
    func end(_ task: ImageTask, _ result: Result<WorkResult, LoadFailure>, isCoalesced: Bool) {
        switch result {
        case .success(let value):
            if task.plan.goal != .image { task.outcome = value }
            task.finish(value.response(isCoalesced: isCoalesced, after: task.elapsed))
        case .failure(.failed(let error)):
            // Another load's deadline ended the shared work: this load has time left.
            if isCoalesced, error.code == .deadlineExceeded, !task.isOverdue { return begin(task, task.plan, readsMemory: false) }
            guard let source = task.nextSource(after: error) else { return task.fail(error) }
            do {
                let next = try plan(task.request.replacing(source), goal: task.plan.goal, continuing: task.plan)
                begin(task, next, readsMemory: true)
            } catch {
                if let error = error.error { task.fail(error) } else { task.finish(.failure(error)) }
            }
        case .failure(.cancelled): task.finish(.failure(.cancelled))
        }
    }

    /// Loads bytes, or what their header says.
    func outcome(of request: ImageRequest, goal: LoadGoal) async throws(LoadFailure) -> WorkResult {
        let task = await load(try plan(request, goal: goal))
        _ = try task.ending.get()
        guard let outcome = task.outcome else { throw .failed(.noInput) }
        return outcome
    }

    func leave(_ subscription: SubscriptionID) {
        send { state in
            state.tasks[subscription] = nil
            state.sharing.unsubscribe(subscription)
        }
    }

    func setPriority(_ subscription: SubscriptionID, _ priority: LoadPriority) {
        send { $0.sharing.setPriority(subscription, priority) }
    }

    func ended(_ task: ImageTask, _ result: Result<ImageResponse, LoadFailure>) {
        counters.ended(result)
        if let owner = task.plan.request.owner { ownedLoads.remove(task, of: owner) }
        observeEnd(result, task.plan)
    }

    private func makeTask(
        _ plan: LoadPlan, wantsProgress: Bool, _ onEvent: (@Sendable (LoadEvent) -> Void)?
    ) -> ImageTask {
        observeStart(plan)
        let task = ImageTask(plan, wantsProgress: wantsProgress, coordinator: self, onEvent: onEvent)
        if let owner = plan.request.owner { ownedLoads.add(task, of: owner) }
        return task
    }

    // MARK: Control

    var runtimeOptions: OptionLayer {
        get { control.withLock { $0.defaults.runtime } }
        set {
            let configuration = parts.configuration
            let defaults = LayeredDefaults(
                global: configuration.globalOptions, runtime: newValue, encodes: configuration.encoder != nil)
            control.withLock { $0.defaults = defaults }
        }
    }

    var isPaused: Bool {
        get { state.withLock { $0.scheduler.isPaused } }
        set { send { $0.scheduler.isPaused = newValue } }
    }

    var activity: ImageLoader.Activity {
        state.withLock { state in
            ImageLoader.Activity(
                loads: state.sharing.loads, work: state.sharing.works.count + state.sharing.stopping.count,
                queued: state.scheduler.queuedCount, running: state.scheduler.runningCount)
        }
    }

    var statistics: ImageLoader.Statistics {
        var result = ImageLoader.Statistics()
        let counts = counters.current
        (result.loads, result.bytes) = (counts.loads, counts.bytes)
        (result.loads.active, result.queues) = state.withLock { ($0.sharing.loads, $0.scheduler.statistics) }
        let configuration = parts.configuration
        result.caches = (configuration.memoryCache?.cacheStatistics ?? []) + (configuration.dataCache?.cacheStatistics ?? [])
        return result
    }

    /// Tells the graph whenever the network becomes constrained or stops to be, as long as the loader lives.
    func follow(_ updates: AsyncStream<NetworkStatus>) {
        let follower = Task { [weak self] in
            for await status in updates { self?.send { $0.isConstrained = status.isConstrained } }
        }
        control.withLock { $0.follower = follower }
    }

    /// Cancels every load; later ones end as cancelled at once.
    func shutDown() {
        control.withLock { control in
            control.isClosed = true
            control.follower?.cancel()
        }
        let tasks = state.withLock { state in state.tasks.sorted { $0.key < $1.key }.map(\.value) }
        for task in tasks { task.cancel() }
    }

    func storeEnded() {
        let waiters = control.withLock { control -> [CheckedContinuation<Void, Never>] in
            control.stores -= 1
            guard control.stores == 0 else { return [] }
            defer { control.storeWaiters = [] }
            return control.storeWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when every original fetched so far is stored, durably.
    func flush() async throws {
        await withCheckedContinuation { continuation in
            let isIdle = control.withLock { control in
                if control.stores > 0 { control.storeWaiters.append(continuation) }
                return control.stores == 0
            }
            if isIdle { continuation.resume() }
        }
        try await parts.dataCache?.flush()
    }
}
