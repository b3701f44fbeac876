internal import ImageCore

/// Merges a request's configuration, assembles its work, and carries out what the graph decides.
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
        /// How many originals are being stored, and who waits until there are none.
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

    /// What the memory cache says to a request, or the plan of what is to be loaded.
    enum MemoryAnswer {
        case hit(DecodedImage)
        case miss(LoadPlan)
    }

    /// Asks the memory cache once, on the caller's thread. A request that sets no options of its own needs no plan for
    /// that, unless somebody observes: the shortest way to a hit.
    func askMemory(_ request: ImageRequest) throws(LoadFailure) -> MemoryAnswer {
        guard request.options.isEmpty, observers.isEmpty, let memory = pipeline.memory,
            let variant = control.withLock({ $0.defaults }).plainVariant
        else {
            let plan = try plan(request)
            return memoryHit(plan).map { .hit($0) } ?? .miss(plan)
        }
        if let image = memory.cache.image(for: ImageKey(resource: request.resource, variant: variant)), !image.isPreview {
            return .hit(image)
        }
        return .miss(try plan(request))
    }

    /// The memory cache's answer; observers see a hit as a whole load.
    private func memoryHit(_ plan: LoadPlan) -> DecodedImage? {
        guard let hit = pipeline.askMemory(plan), !hit.isPreview else { return nil }
        observe(.started, plan)
        observe(.cacheAsked(.memory, isHit: true), plan)
        observe(.finished(.success(ImageResponse(image: hit, tier: .memory))), plan)
        return hit
    }

    /// Loads what the memory cache does not have, for a caller that awaits it, and returns the load when it has ended.
    ///
    /// On Swift's pool, whatever isolation the caller has: there the fetch may begin on this very thread, in a task of its
    /// own, and nobody is kept waiting by it but this caller.
    @concurrent
    func load(_ plan: LoadPlan) async -> ImageTask {
        let task = start(plan, asksMemory: false, wantsProgress: false, on: .pool, onEvent: nil)
        await task.untilEnd()
        return task
    }

    /// Starts a load that has to be planned first; a bad option is its result.
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

    /// Starts a load, which ends here and now when the memory cache has its image.
    ///
    /// - Parameter wantsProgress: whether progress is passed on to the task; nobody listens to that of a plain `await`.
    func start(
        _ plan: LoadPlan, asksMemory: Bool = true, wantsProgress: Bool, on place: Place = .elsewhere,
        onEvent: (@Sendable (LoadEvent) -> Void)?
    ) -> ImageTask {
        let task = makeTask(plan, wantsProgress: wantsProgress, onEvent)
        begin(task, plan, asksMemory: asksMemory, on: place)
        if wantsProgress, let source = plan.request.lowResolution, !task.hasEnded {
            startLowResolution(plan.request.replacing(source), for: task)
        }
        if onEvent != nil { task.begun() }
        return task
    }

    /// Loads the small version of a picture, which is shown as long as there is nothing better.
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

    /// Gives a task its place in the graph, or ends it here and now.
    ///
    /// - Parameter isShort: whether the finished picture may be looked for on disk before anything is made.
    private func begin(
        _ task: ImageTask, _ plan: LoadPlan, asksMemory: Bool, isShort: Bool = true, on place: Place
    ) {
        let cached = asksMemory && plan.goal == .image ? pipeline.askMemory(plan) : nil
        if let cached, !cached.isPreview {
            observe(.cacheAsked(.memory, isHit: true), plan)
            return task.finish(.success(ImageResponse(image: cached, tier: .memory)))
        }
        // Whoever does not ask here has asked before.
        if plan.goal == .image, pipeline.asksMemory(plan) { observe(.cacheAsked(.memory, isHit: false), plan) }
        if let cached, plan.options.previews != .none { task.show(cached) }
        // A fetch that begins here and now would not see that its caller has gone already.
        guard !control.withLock({ $0.isClosed }), place != .pool || !Task.isCancelled else {
            return task.finish(.failure(.cancelled))
        }
        var options = pipeline.subscriberOptions(for: plan)
        options.wantsProgress = task.wantsProgress
        if task.wantsProgress { options.previews = plan.options.previews }
        let isShort = isShort && plan.readsResult && pipeline.configuration.dataCache != nil
        if isShort {
            options.writesResult = false
            task.setUncachedPlan(plan)
        }
        var actions: [Graph.Action] = []
        // The work may end on another thread before this one has told of the join.
        if !observers.isEmpty { task.hold() }
        let (ticket, hasJoined) = join(task, plan, options, isShort: isShort, leaving: &actions)
        if !observers.isEmpty {
            if hasJoined { observe(.joined, plan) }
            task.release()
        }
        let priority = task.started(ticket)
        let isWanted = priority != nil
        // Another load may have finished this very image between the look into the memory cache and the join. It stored
        // the image before its work left the graph, so that a second look, after the join, cannot miss both.
        let late = isWanted && plan.goal == .image && plan.options.cachePolicy.readsMemory ? pipeline.peek(plan.imageKey) : nil
        if !isWanted || late != nil {
            // First the stops, so that a step that was begun in vain ends before it reaches a plug-in.
            leave(ticket)
            if let late { task.finish(.success(ImageResponse(image: late, tier: .memory))) }
        }
        // It may have changed since the load began, where this is not its first place.
        if let priority, priority != plan.priority { setPriority(ticket, priority) }
        if !actions.isEmpty { execute(actions, on: place) }
    }

    /// Gives a task its place: in work that is there already, or at the end of a chain that is made for it.
    ///
    /// - Parameter actions: what is to be done then.
    /// - Returns: the place, and whether the work was there already.
    private func join(
        _ task: ImageTask, _ plan: LoadPlan, _ options: SubscriberOptions, isShort: Bool,
        leaving actions: inout [Graph.Action]
    ) -> (LoadTicket, hasJoined: Bool) {
        if plan.goal == .image {
            let key = WorkKey(kind: isShort ? .processedImage : .image, image: plan.imageKey)
            let joined = graph.withLock { graph in
                let ticket = graph.join(task, existing: key, options: options)
                if ticket != nil { actions = graph.takeActions() }
                return ticket
            }
            if let joined { return (joined, true) }
        }
        let chain =
            isShort
            ? (links: pipeline.processedChain(for: plan), input: nil)
            : pipeline.chain(for: plan) { key in graph.withLock { $0.contains(key) } }
        return graph.withLock { graph in
            let ticket = graph.join(task, chain: chain.links, input: chain.input, options: options)
            actions = graph.takeActions()
            return (ticket, graph.hasJoined(ticket))
        }
    }

    /// A load's work ended: that is its end, unless there is another source to try.
    func end(_ task: ImageTask, _ result: Result<WorkResult, LoadFailure>, isCoalesced: Bool) {
        switch result {
        case .success(let value):
            if task.plan.goal != .image { task.outcome = value }
            task.finish(value.response(isCoalesced: isCoalesced, after: task.elapsed))
        case .failure(.failed(let error)):
            if let plan = task.takeUncachedPlan() {
                return begin(task, plan, asksMemory: false, isShort: false, on: .elsewhere)
            }
            guard let source = task.nextSource(after: error) else { return task.fail(error) }
            do {
                begin(task, try plan(task.request.replacing(source), goal: task.plan.goal), asksMemory: true, on: .elsewhere)
            } catch {
                if let error = error.error { task.fail(error) } else { task.finish(.failure(error)) }
            }
        case .failure(.cancelled): task.finish(.failure(.cancelled))
        }
    }

    /// Loads what is no picture: bytes, or what their header says.
    @concurrent
    func outcome(of request: ImageRequest, goal: LoadGoal) async throws(LoadFailure) -> WorkResult {
        let task = start(try plan(request, goal: goal), asksMemory: false, wantsProgress: false, on: .pool, onEvent: nil)
        await task.untilEnd()
        _ = try task.ending.get()
        guard let outcome = task.outcome else { throw .failed(.noInput) }
        return outcome
    }

    func leave(_ ticket: LoadTicket) {
        perform { $0.leave(ticket) }
    }

    func setPriority(_ ticket: LoadTicket, _ priority: LoadPriority) {
        perform { $0.setPriority(ticket, priority) }
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
        set { perform { $0.setPaused(newValue) } }
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

    /// Spares the network whenever it is constrained, for as long as the loader lives.
    func follow(_ updates: AsyncStream<NetworkStatus>) {
        let follower = Task { [weak self] in
            for await status in updates { self?.perform { $0.setConstrained(status.isConstrained) } }
        }
        control.withLock { $0.follower = follower }
    }

    /// Cancels every load; later ones end as cancelled at once.
    func shutDown() {
        control.withLock { control in
            control.isClosed = true
            control.follower?.cancel()
        }
        perform { $0.cancelAll() }
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
