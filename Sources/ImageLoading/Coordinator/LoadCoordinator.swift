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
    let prefetchers = Prefetchers()
    /// The results that are being stored. Loads that began before the caches were cleared store nothing.
    let stores = StoreGate()

    init(_ configuration: ImageLoader.Configuration) {
        parts = LoaderParts(configuration)
        observers = configuration.observers
        control = Lock(
            Control(
                defaults: LayeredDefaults(
                    global: configuration.options, runtime: OptionLayer(), encodes: configuration.encoder != nil)))
        state = Lock(LoaderState(configuration.limits))
    }

    var pipeline: Pipeline { Pipeline(coordinator: self) }

    /// Changes the state under the lock, and then does outside it what follows from the change.
    @discardableResult
    func send<R: Sendable>(_ event: (inout LoaderState) -> R) -> R {
        let (result, followups) = state.withLock { state in
            let result = event(&state)
            return (result, state.settle())
        }
        for followup in followups { execute(followup) }
        return result
    }

    private func execute(_ followup: LoaderState.Followup) {
        switch followup {
        case .cancel(let work):
            work.token.cancel()
            work.endPreviews()
        case .endWait(let runner): runner.endWait()
        case .endPreviews(let work): work.endPreviews()
        case .keepPreview(let preview, let work):
            storeNow(work.plan) { parts.storePreview(preview.image, for: work.key.image) }
        case .start(let runner): runner.start()
        }
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
        let storeEpoch = first?.storeEpoch ?? stores.epoch
        let deadline = first.map(\.deadline) ?? merged.options.deadline.map { parts.deadline(after: $0) }
        return LoadPlan(
            id, request, merged, goal: goal, identities: parts.identities(of: request.source, merged),
            priority: priority.flatMap { defaults.yields(request) ? $0 : nil },
            deadline: deadline, storeEpoch: storeEpoch, planning: began.map { ContinuousClock.now - $0 } ?? .zero)
    }

    /// The image of a request in the memory cache, or the plan of the load that is needed.
    enum MemoryLookup {
        case hit(DecodedImage)
        case miss(LoadPlan)
    }

    /// Looks the image up in the memory cache, on the caller's thread. The lookup needs no plan for a request that sets no
    /// options, unless there are observers.
    func cachedImage(for request: ImageRequest) throws(LoadFailure) -> MemoryLookup {
        guard request.options.isEmpty, observers.isEmpty, let variant = control.withLock({ $0.defaults }).plainVariant else {
            let plan = try plan(request)
            return memoryHit(plan).map { .hit($0) } ?? .miss(plan)
        }
        let resource = parts.interceptors.isEmpty ? request.resource : parts.resource(of: request)
        if let image = parts.memoryCache.image(for: ImageKey(resource: resource, variant: variant)), !image.isPreview {
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
        task.startDeadline()
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
}
