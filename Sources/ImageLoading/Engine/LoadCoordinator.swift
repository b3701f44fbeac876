internal import ImageCore

/// Merges a request's options, subscribes loads to shared work, and delivers the results.
///
/// The two state machines, ``Sharing`` and ``Scheduler``, are values behind one lock that is held only for a
/// transition, never while foreign code runs. That is cheaper than an actor, whose every call from outside costs a hop,
/// and lets a load start synchronously from anywhere. ``Pipeline`` is what the work does.
final class LoadCoordinator: Sendable {
    struct Control {
        var defaults: LayeredDefaults
        var isClosed = false
        /// Follows the network's status.
        var follower: Task<Void, Never>?
    }

    let components: Components
    let observers: [any LoadObserving]
    let state: Lock<LoaderState>
    let control: Lock<Control>
    let counts = Lock(LoadCounts())
    let ownedLoads = OwnedLoads()
    /// The loads whose interceptors run.
    let intercepted = Lock<[LoadID: ImageTask]>([:])
    let prefetchers = Prefetchers()
    /// The results that are being stored. Loads that began before the caches were cleared store nothing.
    let stores = StoreGate()

    init(_ configuration: ImageLoader.Configuration) {
        components = Components(configuration)
        observers = configuration.observers
        control = Lock(
            Control(
                defaults: LayeredDefaults(
                    global: configuration.options, runtime: OptionLayer(), encodes: configuration.encoder != nil)))
        state = Lock(LoaderState(configuration.limits))
    }

    /// Changes the state under the lock, and then does outside it what follows from the change.
    @discardableResult
    func send<R: Sendable>(_ event: (inout LoaderState) -> R) -> R {
        let (result, followups) = state.withLock { state in
            let result = event(&state)
            return (result, state.takeFollowups())
        }
        for followup in followups { execute(followup) }
        return result
    }

    private func execute(_ followup: LoaderState.Followup) {
        switch followup {
        case .cancel(let job):
            job.token.cancel()
            job.endPreviews()
        case .endWait(.output(let continuation)): continuation.resume(throwing: CancellationError())
        case .endWait(.slot(let continuation)): continuation.resume(throwing: CancellationError())
        case .endPreviews(let job): job.endPreviews()
        case .release: break
        case .keepPreview(let preview, let job):
            storeNow(job.plan) { components.storePreview(preview.image, for: job.key.image) }
        case .start(let continuation): continuation.resume()
        }
    }

    // MARK: Loads

    /// Merges the three layers of options into a plan.
    ///
    /// - Parameters:
    ///   - priority: the priority where no layer of the request's or above it sets one.
    ///   - runsInterceptors: whether the load's own interceptors run; not for a source that they did not get.
    ///   - first: the plan for the first source of the load, where this one is for a fallback source. The load keeps
    ///     its id and its deadline.
    ///   - outer: the plan of the load around this one, which is a part of it and has its id.
    func plan(
        _ request: ImageRequest, goal: LoadGoal = .image, priority: LoadPriority? = nil, runsInterceptors: Bool = true,
        continuing first: LoadPlan? = nil, within outer: LoadPlan? = nil
    ) throws(LoadFailure) -> LoadPlan {
        let began = observers.isEmpty ? nil : ContinuousClock.now
        let (whole, defaults) = (first ?? outer, control.withLock { $0.defaults })
        let id = whole?.id ?? .next()
        var (request, goal, merged) = (request, goal, try merge(request, defaults))
        if runsInterceptors, whole == nil, !merged.options.loadInterceptors.isEmpty {
            try rewrite(&request, &merged, &goal)
        }
        if goal == .bytes, request.source.isDecoded { throw .failed(.noBytes(request.description)) }
        let storeEpoch = whole?.storeEpoch ?? stores.epoch
        let deadline = first.map(\.deadline) ?? merged.options.deadline.map { components.deadline(after: $0) }
        return LoadPlan(
            id, request, merged, goal: goal, identities: components.identities(of: request, merged),
            priority: priority.flatMap { defaults.inheritsPriority(request) ? $0 : nil },
            deadline: deadline, storeEpoch: storeEpoch, planning: began.map { ContinuousClock.now - $0 } ?? .zero)
    }

    /// The three layers of a request's options, merged.
    func merge(_ request: ImageRequest, _ defaults: LayeredDefaults) throws(LoadFailure) -> MergedOptions {
        do {
            return try defaults.options(for: request)
        } catch {
            var error = error
            error.source = request.description
            throw .failed(error)
        }
    }

    /// The image of a request in the memory cache, or the lookup that missed it.
    enum CachedImage {
        case hit(DecodedImage)
        case miss(MemoryLookup)
    }

    /// Looks the image of a request up in the memory cache. Observers see a hit as a whole load. Without observers, a
    /// request that sets no options needs no plan.
    func cachedImage(for request: ImageRequest) throws(LoadFailure) -> CachedImage {
        if request.options.isEmpty, observers.isEmpty, let variant = control.withLock({ $0.defaults }).variantWithoutOptions {
            if let hit = components.lookUpMemory(request, variant: variant) { return .hit(hit) }
            let plan = try plan(request)
            if let image = components.unscaledImage(for: plan) { return .hit(image) }
            return .miss(MemoryLookup(plan: plan))
        }
        let lookup = components.lookUpMemory(try plan(request))
        guard let hit = lookup.hit else { return .miss(lookup) }
        observeStart(lookup.plan)
        observe(lookup)
        observeEnd(.success(LoadSummary(image: hit, tier: .memory)), lookup.plan)
        return .hit(hit)
    }

    /// Loads what is not in the memory cache. Returns the load when it has ended.
    func load(_ lookup: MemoryLookup) async -> ImageTask {
        guard !Task.isCancelled else {
            let task = makeTask(lookup.plan, false, nil)
            task.finish(.failure(.cancelled))
            return task
        }
        let task = start(lookup, wantsProgress: false, onEvent: nil)
        await task.untilEnd()
        return task
    }

    /// Loads the small version of an image, which is shown until there is something better.
    func startLowResolution(_ request: ImageRequest, for task: ImageTask) {
        guard let plan = try? plan(request, runsInterceptors: false) else { return }
        let small = start(components.lookUpMemory(plan), wantsProgress: false) { [weak task] event in
            guard case .finished(.success(let response)) = event else { return }
            var preview = response.image
            preview.isPreview = true
            task?.showLowResolution(preview)
        }
        task.attach(small)
    }

    /// Loads bytes, or what their header says.
    func output(of request: ImageRequest, goal: LoadGoal) async throws(LoadFailure) -> LoadOutput.Content {
        try await load(MemoryLookup(plan: try plan(request, goal: goal))).outcome.get().content
    }

    func ended(
        _ task: ImageTask, _ result: Result<LoadOutput, LoadFailure>, _ deliveryBegan: ContinuousClock.Instant?
    ) {
        guard !task.isPart else { return }
        counts.withLock { $0.add(result) }
        if let owner = task.plan.request.owner { ownedLoads.remove(task, of: owner) }
        observeEnd(result.map(\.summary), task.plan, deliveryBegan: deliveryBegan)
    }

    func makeTask(
        _ plan: LoadPlan, _ wantsProgress: Bool, _ onEvent: (@Sendable (LoadEvent) -> Void)?
    ) -> ImageTask {
        observeStart(plan)
        let task = ImageTask(plan, wantsProgress: wantsProgress, coordinator: self, onEvent: onEvent)
        if let owner = plan.request.owner { ownedLoads.add(task, of: owner) }
        return task
    }
}
