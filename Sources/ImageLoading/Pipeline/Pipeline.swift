internal import ImageCore

/// The life of a request, on one page.
///
/// | stage | what happens | where |
/// |---|---|---|
/// | request | the three layers of options are merged, the work is named | ``LoadCoordinator/plan(_:)``, `LoadPlan` |
/// | memory cache | a hit ends the load, on the caller's thread | ``memoryHit(_:)`` |
/// | original cache | the data cache is asked for the bytes | `OriginalCacheStage` |
/// | network | the source is fetched, its answer judged | `FetchStage` |
/// | decode | on a worker thread | `DecodeStage` |
/// | process | on a worker thread, one run of processors at a time (`PixelStep`) | `ProcessStage` |
/// | store | the image in memory, the bytes on disk | `StoreStage` |
/// | deliver | every subscriber gets the result | ``LoadCoordinator`` |
///
/// The coordinator's graph decides who shares which work and when a step may run; a step that may run comes here. The
/// pipeline keeps nothing between steps.
final class Pipeline: Sendable {
    /// Where a step reports to.
    protocol Reporting: Sendable {
        func report(_ progress: LoadProgress, from node: NodeID)
        func advance(_ node: NodeID, to lane: Lane)
        func finish(_ node: NodeID, _ result: Result<WorkResult, LoadFailure>, retention: Retention, on place: Place)
        func retryUpstream(of node: NodeID, otherwise failure: LoadFailure)
        func settle(_ node: NodeID)
        func observe(_ observation: LoadObservation, _ plan: LoadPlan)
    }

    let configuration: ImageLoader.Configuration
    let workers: WorkerPool
    let accept: String

    init(_ configuration: ImageLoader.Configuration) {
        self.configuration = configuration
        workers = WorkerPool(size: configuration.workers)
        accept = FetchStage.accept(for: configuration.decoder.formats)
    }

    /// Whether the memory cache is asked for the finished picture.
    func asksMemory(_ plan: LoadPlan) -> Bool {
        plan.options.cachePolicy.readsMemory && !plan.endsWithHeader && configuration.memoryCache != nil
    }

    /// The memory cache's answer, if the options let it be asked. A hit ends the load on the caller's thread.
    func memoryHit(_ plan: LoadPlan) -> ImageResponse? {
        guard plan.options.cachePolicy.readsMemory else { return nil }
        return configuration.memoryCache?.image(for: plan.imageKey).map { ImageResponse(image: $0, tier: .memory) }
    }

    /// The work behind a load, the wanted result first: processors from the last to the first, decode, original.
    /// It is cut where the memory cache has the result of a prefix.
    func chain(for plan: LoadPlan) -> (links: [WorkLink<Work>], input: WorkResult?) {
        if plan.endsWithHeader {
            let key = WorkKey(kind: .header, image: ImageKey(resource: plan.resource))
            return ([WorkLink(key: key, work: .header(plan), lane: .worker), originalLink(plan)], nil)
        }
        var links: [WorkLink<Work>] = []
        links.reserveCapacity(plan.variants.count + 1)
        let steps = plan.pixelSteps
        for (place, step) in steps.enumerated().reversed() {
            if place < steps.count - 1, let image = prefix(step.variant, of: plan) {
                return (links, .image(StagedImage(image, tier: .memory, metrics: LoadMetrics())))
            }
            // Where nobody has the full picture yet, it need not be made for a step that wants less of it.
            let isReduced =
                place == 1 && plan.options.targetSize == nil && step.reducesDecode && prefix(0, of: plan) == nil
            let work =
                if let processor = step.processor, !isReduced { Work.process(plan, processor) } else {
                    Work.decode(plan, then: step.processor)
                }
            let key = ImageKey(resource: plan.resource, variant: plan.variants[step.variant])
            links.append(WorkLink(key: WorkKey(kind: .image, image: key), work: work, lane: .worker))
            if isReduced { break }
        }
        links.append(originalLink(plan))
        return (links, nil)
    }

    /// Whether bytes of the web are kept anywhere.
    var hasByteCache: Bool { configuration.dataCache != nil || configuration.responseCache != nil }

    /// What the memory cache has of a plan's picture after decoding and so many processors.
    private func prefix(_ variant: Int, of plan: LoadPlan) -> DecodedImage? {
        guard plan.options.cachePolicy.readsMemory else { return nil }
        return configuration.memoryCache?.peekImage(
            for: ImageKey(resource: plan.resource, variant: plan.variants[variant]))
    }

    private func originalLink(_ plan: LoadPlan) -> WorkLink<Work> {
        let policy = plan.options.cachePolicy
        let (kind, lane): (WorkKey.Kind, Lane) =
            if plan.isLocal {
                (.original, .local)
            } else if policy.isOnlyIfCached {
                (.cachedOnly, .lookup)
            } else if policy.readsDisk, hasByteCache {
                (.original, .lookup)
            } else {
                (.fresh, .network)
            }
        let host =
            if case .url(let url) = plan.request.source, lane != .local { url.host(percentEncoded: true) ?? "" } else { "" }
        return WorkLink(
            key: WorkKey(kind: kind, image: ImageKey(resource: plan.resource)), work: .original(plan), lane: lane, group: host)
    }

    /// Carries out one step, and reports to the coordinator when it ends. Returns at once.
    func run(
        _ node: NodeID, _ work: Work, _ lane: Lane, input: WorkResult?, _ start: StepStart,
        reportingTo coordinator: any Reporting
    ) {
        switch (work, lane) {
        case (.original(let plan), .lookup):
            OriginalCacheStage(pipeline: self, plan: plan).run(node, start, coordinator)
        case (.original(let plan), _):
            FetchStage(pipeline: self, plan: plan, priority: start.priority).run(node, start, coordinator)
        case (.decode(let plan, let processor), _):
            DecodeStage(pipeline: self, plan: plan, processor: processor).run(node, input, start, coordinator)
        case (.header(let plan), _):
            HeaderStage(pipeline: self, plan: plan).run(node, input, start, coordinator)
        case (.process(let plan, let processor), _):
            ProcessStage(pipeline: self, plan: plan, processor: processor).run(node, input, start, coordinator)
        }
    }

    /// Stores the result of a node, and reports when that is done.
    func store(
        _ node: NodeID, _ key: WorkKey, _ work: Work, _ result: WorkResult, _ priority: CachePriority,
        _ coordinator: any Reporting
    ) {
        StoreStage(configuration: configuration, plan: work.plan).run(node, key, result, priority, coordinator)
    }

    func clearCaches() async throws {
        configuration.memoryCache?.removeAll()
        try await configuration.dataCache?.removeAll()
    }
}

extension Pipeline.Reporting {
    /// Ends a step with what went wrong: cancellation stays apart, everything else is wrapped once.
    func fail(
        _ node: NodeID, _ error: any Error, stage: LoadStage, _ plan: LoadPlan, _ token: CancellationToken, on place: Place
    ) {
        let failure: LoadFailure =
            if token.isCancelled || error is CancellationError {
                .cancelled
            } else {
                .failed(.wrapping(error, stage: stage, source: plan.request.description))
            }
        finish(node, .failure(failure), retention: .never, on: place)
    }
}
