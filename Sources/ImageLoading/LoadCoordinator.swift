internal import ImageCore

/// Merges a request's options, assembles its work, and executes what the graph decides.
///
/// The graph is the loader's one isolation: a value behind one lock that is held only for a transition, never while
/// foreign code runs. That is cheaper than an actor, whose every call from outside costs a hop, and lets a load start
/// synchronously from anywhere.
final class LoadCoordinator: Sendable {
    typealias Graph = LoadGraph<ImageTask, Work, WorkResult>

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

    let pipeline: Pipeline
    let observers: [any LoadObserving]
    let graph: Lock<Graph>
    let control: Lock<Control>
    let counters = LoadCounters()
    let ownedLoads = OwnedLoads()

    init(_ configuration: ImageLoader.Configuration) {
        pipeline = Pipeline(configuration)
        observers = configuration.observers
        control = Lock(
            Control(
                defaults: LayeredDefaults(
                    global: configuration.globalOptions, runtime: OptionLayer(), encodes: configuration.encoder != nil)))
        graph = Lock(
            Graph(
                fetches: max(1, configuration.limits.fetches), fetchesPerHost: max(1, configuration.limits.fetchesPerHost),
                localReads: max(1, configuration.limits.localReads), workers: max(1, configuration.limits.workers),
                decodingBytes: max(1, configuration.limits.decodingBytes)))
    }

    // MARK: Loads

    /// Merges the three layers of options into a plan.
    ///
    /// - Parameter priority: taken where no layer of the request's or above it sets one.
    func plan(
        _ request: ImageRequest, goal: LoadGoal = .image, priority: LoadPriority? = nil
    ) throws(LoadFailure) -> LoadPlan {
        let (id, defaults) = control.withLock { ($0.makeID(), $0.defaults) }
        let options: MergedOptions
        do {
            options = try defaults.options(for: request)
        } catch {
            var error = error
            error.source = request.description
            throw .failed(error)
        }
        return LoadPlan(
            id, request, options, goal: goal, priority: priority.flatMap { defaults.yields(request) ? $0 : nil })
    }

    /// The image of a request in the memory cache, or the plan of the load that is needed.
    enum CacheLookup {
        case hit(DecodedImage)
        case miss(LoadPlan)
    }

    /// Looks the image up in the memory cache, on the caller's thread. The lookup needs no plan for a request that sets no
    /// options of its own, unless there are observers.
    func cachedImage(for request: ImageRequest) throws(LoadFailure) -> CacheLookup {
        guard request.options.isEmpty, observers.isEmpty, let memory = pipeline.configuration.memoryCache,
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
        guard let hit = pipeline.cachedImage(for: plan), !hit.isPreview else { return nil }
        observe(.started, plan)
        observe(.cacheLookup(.memory, isHit: true), plan)
        observe(.finished(.success(ImageResponse(image: hit, tier: .memory))), plan)
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

    /// Subscribes a task to its work, or ends it here and now.
    ///
    /// - Parameter readsProcessed: whether the finished image may be looked up in the data cache before it is made.
    private func begin(
        _ task: ImageTask, _ plan: LoadPlan, readsMemory: Bool, readsProcessed: Bool = true
    ) {
        let cached = readsMemory && plan.goal == .image ? pipeline.cachedImage(for: plan) : nil
        if let cached, !cached.isPreview {
            observe(.cacheLookup(.memory, isHit: true), plan)
            return task.finish(.success(ImageResponse(image: cached, tier: .memory)))
        }
        // Without a lookup here, the caller has had the miss.
        if pipeline.readsMemoryCache(plan) { observe(.cacheLookup(.memory, isHit: false), plan) }
        if let cached, plan.options.previews != .none { task.show(cached) }
        guard !control.withLock({ $0.isClosed }) else {
            return task.finish(.failure(.cancelled))
        }
        var options = pipeline.subscriberOptions(for: plan)
        options.wantsProgress = task.wantsProgress
        if task.wantsProgress { options.previews = plan.options.previews }
        let readsProcessed = readsProcessed && plan.readsResult && pipeline.configuration.dataCache != nil
        if readsProcessed {
            options.writesResult = false
            task.setUncachedPlan(plan)
        }
        var actions: [Graph.Action] = []
        // The work may end on another thread before the observers know of the join.
        if !observers.isEmpty { task.hold() }
        let (ticket, hasJoined) = join(task, plan, options, readsProcessed: readsProcessed, leaving: &actions)
        if !observers.isEmpty {
            if hasJoined { observe(.joined(plan.id), plan) }
            task.release()
        }
        let priority = task.started(ticket)
        let isWanted = priority != nil
        // Another load may have finished this very image between the look into the memory cache and the join. It stored
        // the image before its work left the graph, so that a second look, after the join, cannot miss both.
        let late = isWanted && plan.goal == .image && plan.options.cachePolicy.readsMemory ? pipeline.peek(plan.imageKey) : nil
        if !isWanted || late != nil {
            // Stop first, so that a step that was started in vain ends before it reaches a plug-in.
            leave(ticket)
            if let late { task.finish(.success(ImageResponse(image: late, tier: .memory))) }
        }
        // The priority may have changed since the load began, where this is not its first work.
        if let priority, priority != plan.priority { setPriority(ticket, priority) }
        if !actions.isEmpty { execute(actions) }
    }

    /// Subscribes a task to existing work, or to a chain that is made for it.
    ///
    /// - Parameter actions: what the engine must do then.
    /// - Returns: the subscription, and whether the work existed.
    private func join(
        _ task: ImageTask, _ plan: LoadPlan, _ options: SubscriberOptions, readsProcessed: Bool,
        leaving actions: inout [Graph.Action]
    ) -> (LoadTicket, hasJoined: Bool) {
        if plan.goal == .image {
            let key = WorkKey(kind: readsProcessed ? .processedImage : .image, image: plan.imageKey)
            let joined = graph.withLock { graph in
                let ticket = graph.join(task, existing: key, options: options)
                if ticket != nil { actions = graph.takeActions() }
                return ticket
            }
            if let joined { return (joined, true) }
        }
        let chain =
            readsProcessed
            ? (links: pipeline.processedChain(for: plan), input: nil)
            : pipeline.chain(for: plan) { key in graph.withLock { $0.contains(key) } }
        return graph.withLock { graph in
            let ticket = graph.join(task, chain: chain.links, input: chain.input, options: options)
            actions = graph.takeActions()
            return (ticket, graph.hasJoined(ticket))
        }
    }

    /// A load's work ended: the load ends too, unless there is another source to try.
    func end(_ task: ImageTask, _ result: Result<WorkResult, LoadFailure>, isCoalesced: Bool) {
        switch result {
        case .success(let value):
            if task.plan.goal != .image { task.outcome = value }
            task.finish(value.response(isCoalesced: isCoalesced, after: task.elapsed))
        case .failure(.failed(let error)):
            if let plan = task.takeUncachedPlan() {
                return begin(task, plan, readsMemory: false, readsProcessed: false)
            }
            guard let source = task.nextSource(after: error) else { return task.fail(error) }
            do {
                begin(task, try plan(task.request.replacing(source), goal: task.plan.goal), readsMemory: true)
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

    func leave(_ ticket: LoadTicket) {
        send { $0.leave(ticket) }
    }

    func setPriority(_ ticket: LoadTicket, _ priority: LoadPriority) {
        send { $0.setPriority(ticket, priority) }
    }

    func ended(_ task: ImageTask, _ result: Result<ImageResponse, LoadFailure>) {
        counters.ended(result)
        if let owner = task.plan.request.owner { ownedLoads.remove(task, of: owner) }
        observe(.finished(result), task.plan)
    }

    private func makeTask(
        _ plan: LoadPlan, wantsProgress: Bool, _ onEvent: (@Sendable (LoadEvent) -> Void)?
    ) -> ImageTask {
        observe(.started, plan)
        let task = ImageTask(plan, wantsProgress: wantsProgress, coordinator: self, onEvent: onEvent)
        if let owner = plan.request.owner { ownedLoads.add(task, of: owner) }
        return task
    }

    // MARK: Control

    var runtimeOptions: OptionLayer {
        get { control.withLock { $0.defaults.runtime } }
        set {
            let configuration = pipeline.configuration
            let defaults = LayeredDefaults(
                global: configuration.globalOptions, runtime: newValue, encodes: configuration.encoder != nil)
            control.withLock { $0.defaults = defaults }
        }
    }

    var isPaused: Bool {
        get { graph.withLock { $0.isPaused } }
        set { send { $0.setPaused(newValue) } }
    }

    var activity: ImageLoader.Activity {
        let counts = graph.withLock { $0.counts }
        return ImageLoader.Activity(loads: counts.loads, work: counts.nodes, queued: counts.queued, running: counts.running)
    }

    var statistics: ImageLoader.Statistics {
        var result = ImageLoader.Statistics()
        let counts = counters.current
        (result.loads, result.bytes) = (counts.loads, counts.bytes)
        (result.loads.active, result.queues) = graph.withLock { ($0.counts.loads, $0.statistics) }
        let configuration = pipeline.configuration
        result.caches = (configuration.memoryCache?.cacheStatistics ?? []) + (configuration.dataCache?.cacheStatistics ?? [])
        return result
    }

    /// Tells the graph whenever the network becomes constrained or stops to be, as long as the loader lives.
    func follow(_ updates: AsyncStream<NetworkStatus>) {
        let follower = Task { [weak self] in
            for await status in updates { self?.send { $0.setConstrained(status.isConstrained) } }
        }
        control.withLock { $0.follower = follower }
    }

    /// Cancels every load; later ones end as cancelled at once.
    func shutDown() {
        control.withLock { control in
            control.isClosed = true
            control.follower?.cancel()
        }
        send { $0.cancelAll() }
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
        try await pipeline.configuration.dataCache?.flush()
    }
}
