internal import ImageCore

/// The stages in the life of a request.
///
/// | stage | what happens | where |
/// |---|---|---|
/// | request | the three layers of options are merged, the work gets its keys | ``LoadCoordinator/plan(_:)``, `LoadPlan` |
/// | memory cache | a hit ends the load, on the caller's thread | ``cachedImage(for:)`` |
/// | processed cache | the finished image is looked up in the data cache, if it may be there | `ProcessedCacheStage` |
/// | original cache | the bytes are looked up in the data cache | `OriginalCacheStage` |
/// | network | the source is fetched, its response judged | `FetchStage` |
/// | decode | on a worker thread | `DecodeStage` |
/// | process | on a worker thread, one run of processors at a time (`PixelStep`) | `ProcessStage` |
/// | store | the image in memory; the bytes, or the image encoded, on disk | `StoreStage` |
/// | deliver | every subscriber gets the result | ``LoadCoordinator`` |
///
/// The coordinator's graph decides which loads share work and when a step may run; the pipeline runs it. It keeps no state
/// between steps.
final class Pipeline: Sendable {
    /// Where a step reports to.
    protocol Reporting: AnyObject, Sendable {
        func report(_ progress: LoadProgress, _ bytes: ReceivedBytes, from node: NodeID)
        func preview(_ node: NodeID, _ preview: WorkResult, _ token: CancellationToken)
        func advance(_ node: NodeID, to resource: ResourceClass)
        func finish(_ node: NodeID, _ result: Result<WorkResult, LoadFailure>, retention: Retention)
        func retryUpstream(of node: NodeID, otherwise failure: LoadFailure)
        /// Whether a decode that takes this much memory may continue; otherwise its step runs again when it may.
        func claim(_ node: NodeID, bytes: Int) -> Bool
        /// Whether previews that take this much memory may be made.
        func claimForPreviews(_ node: NodeID, bytes: Int) -> Bool
        /// A cancelled decode still holds memory, until it ends.
        func hold(_ remainder: CancelledRemainder)
        func storeFinished(_ node: NodeID)
        /// Tells the observers; without observers the observation is not made.
        func observe(_ observation: @autoclosure () -> LoadObservation, _ plan: LoadPlan)
    }

    let configuration: ImageLoader.Configuration
    let workers: WorkerPool
    /// One thread for all previews, so that they never keep a worker from a whole image.
    let previewWorkers = WorkerPool(size: 1)
    /// One thread that encodes images for the data cache.
    let encodingWorkers = WorkerPool(size: 1)
    private let previewClock: PreviewClock
    private let incrementalDecoder: (any IncrementalDecoding)?
    let accept: String

    init(_ configuration: ImageLoader.Configuration) {
        let decoder = TargetSizeDecoder(decoder: configuration.decoder)
        incrementalDecoder = configuration.decoder is any IncrementalDecoding ? decoder : nil
        var configuration = configuration
        configuration.decoder = decoder
        self.configuration = configuration
        workers = WorkerPool(size: configuration.limits.workers)
        previewClock = PreviewClock(configuration.clock)
        accept = FetchStage.accept(for: configuration.decoder.formats)
    }

    /// Whether the finished image is looked up in the memory cache.
    func readsMemoryCache(_ plan: LoadPlan) -> Bool {
        plan.options.cachePolicy.readsMemory && plan.goal == .image && configuration.memoryCache != nil
    }

    /// The image in the memory cache, or its preview, where the options allow the lookup.
    func cachedImage(for plan: LoadPlan) -> DecodedImage? {
        plan.options.cachePolicy.readsMemory ? configuration.memoryCache?.image(for: plan.imageKey) : nil
    }

    /// The image in the memory cache, but no preview. Does not count as a use.
    func peek(_ key: ImageKey) -> DecodedImage? {
        configuration.memoryCache?.peekImage(for: key).flatMap { $0.isPreview ? nil : $0 }
    }

    /// What a load wants from its work, as far as the loader has the caches for it.
    func subscriberOptions(for plan: LoadPlan) -> SubscriberOptions {
        var options = plan.subscriberOptions
        if configuration.memoryCache == nil { options.writesMemory = false }
        if configuration.dataCache == nil { (options.writesDisk, options.writesResult) = (false, false) }
        return options
    }

    /// The work behind a load, the wanted result first: processors from the last to the first, decode, original.
    /// It ends where the memory cache has the result of a prefix.
    ///
    /// - Parameter isWanted: whether work with that key exists.
    func chain(
        for plan: LoadPlan, joining isWanted: (WorkKey) -> Bool
    ) -> (links: [WorkLink<Work>], input: WorkResult?) {
        switch plan.goal {
        case .image: break
        case .bytes: return ([originalLink(plan)], nil)
        case .prefetchToDisk, .info:
            let kind: WorkKey.Kind = plan.goal == .info ? .imageInfo : .validatedHeader
            let key = WorkKey(kind: kind, image: ImageKey(resource: plan.resource, variant: plan.variants[0]))
            return ([WorkLink(key: key, work: Work(kind: .header, plan: plan), resource: .worker), originalLink(plan)], nil)
        }
        var links: [WorkLink<Work>] = []
        let steps = plan.pixelSteps { isWanted(imageKey(of: plan, after: $0)) }
        links.reserveCapacity(steps.count + 1)
        for index in steps.indices.reversed() {
            let step = steps[index]
            if index < steps.count - 1, let image = prefix(step.variant, of: plan) {
                return (links, .image(StagedImage(image, tier: .memory, metrics: LoadMetrics())))
            }
            // Where the full image does not exist yet, it need not be made for a step that wants less of it.
            let isReduced =
                index == 1 && plan.options.targetSize == nil && step.reducesDecode && prefix(0, of: plan) == nil
            let isDecode = isReduced || step.processor == nil
            links.append(
                WorkLink(
                    key: imageKey(of: plan, after: step.variant),
                    work: Work(kind: isDecode ? .decode : .process, plan: plan, step: step), resource: .worker,
                    scale: index == 0 ? plan.scale : nil))
            if isReduced { break }
        }
        links.append(originalLink(plan))
        return (links, nil)
    }

    /// Whether a cache keeps bytes from the network.
    var hasByteCache: Bool { configuration.dataCache != nil || configuration.responseCache != nil }

    /// The work that gets the finished image from the data cache, the wanted result first.
    func processedChain(for plan: LoadPlan) -> [WorkLink<Work>] {
        [
            WorkLink(
                key: WorkKey(kind: .processedImage, image: plan.imageKey), work: Work(kind: .processedImage, plan: plan),
                resource: .worker),
            WorkLink(
                key: WorkKey(kind: .processedBytes, image: plan.imageKey), work: Work(kind: .processedBytes, plan: plan),
                resource: .diskCache),
        ]
    }

    private func imageKey(of plan: LoadPlan, after count: Int) -> WorkKey {
        WorkKey(kind: .image, image: ImageKey(resource: plan.resource, variant: plan.variants[count]))
    }

    /// The plan's image after decoding and `variant` processors, if the memory cache has it.
    private func prefix(_ variant: Int, of plan: LoadPlan) -> DecodedImage? {
        guard plan.options.cachePolicy.readsMemory else { return nil }
        return peek(ImageKey(resource: plan.resource, variant: plan.variants[variant]))
    }

    private func originalLink(_ plan: LoadPlan) -> WorkLink<Work> {
        let policy = plan.options.cachePolicy
        let (kind, resource): (WorkKey.Kind, ResourceClass) =
            if plan.isLocal {
                (.original, .local)
            } else if policy.isOnlyIfCached {
                (.cachedOnly, .diskCache)
            } else if policy.readsDisk, hasByteCache {
                (.original, .diskCache)
            } else {
                (.uncached, .network)
            }
        let host =
            if case .url(let url) = plan.request.source, resource != .local { url.host(percentEncoded: true) ?? "" } else { "" }
        return WorkLink(
            // A load of an image must not join a fetch that stops after the header.
            key: WorkKey(
                kind: plan.goal == .info && kind != .cachedOnly ? .headerBytes : kind, image: ImageKey(resource: plan.resource)),
            work: Work(kind: .original, plan: plan), resource: resource, group: host)
    }

    /// Runs one step, and reports to the coordinator when it ends. Returns at once.
    func run(
        _ node: NodeID, _ work: Work, _ resource: ResourceClass, input: WorkResult?, _ context: StageContext,
        reportingTo coordinator: any Reporting
    ) {
        let plan = work.plan
        switch work.kind {
        case .original where resource == .diskCache:
            OriginalCacheStage(pipeline: self, plan: plan).run(node, context, coordinator)
        case .original: FetchStage(pipeline: self, plan: plan, rank: context.rank).run(node, context, coordinator)
        case .decode: DecodeStage(pipeline: self, plan: plan, step: work.step).run(node, input, context, coordinator)
        case .header: HeaderStage(pipeline: self, plan: plan).run(node, input, context, coordinator)
        case .processedBytes: ProcessedCacheStage(pipeline: self, plan: plan).lookUp(node, context, coordinator)
        case .processedImage: ProcessedCacheStage(pipeline: self, plan: plan).decode(node, input, context, coordinator)
        case .process: ProcessStage(pipeline: self, plan: plan, step: work.step).run(node, input, context, coordinator)
        }
    }

    /// Whether a decode may begin now: what its header announces fits into the budget of all that run.
    func admits(
        _ data: Data, _ node: NodeID, _ limits: DecodingLimits, _ context: StageContext, _ coordinator: any Reporting
    ) -> Bool {
        guard !context.hasMemoryReservation, configuration.limits.decodingBytes < .max, !data.isEmpty else { return true }
        // The decode reports what is wrong with the header.
        guard let info = try? configuration.decoder.info(of: data, limits: limits) else { return true }
        return coordinator.claim(node, bytes: info.decodedBytes)
    }

    /// Makes a short call to a plug-in on a worker thread.
    func onWorker<R: Sendable>(_ question: @escaping @Sendable (ImageLoader.Configuration) -> R) async -> R {
        await withCheckedContinuation { continuation in
            workers.submit { [self] in continuation.resume(returning: question(configuration)) }
        }
    }

    /// The bounds of the plan's decode.
    func limits(_ plan: LoadPlan) -> DecodingLimits {
        var limits = configuration.limits.decoding
        if let pixels = plan.options.maximumPixels { limits.pixels = min(limits.pixels, pixels) }
        return limits
    }

    /// Stores the result of a node, and reports when that is done.
    func store(
        _ node: NodeID, _ key: WorkKey, _ work: Work, _ result: WorkResult, _ priority: CachePriority,
        _ targets: StoreTargets, _ coordinator: any Reporting
    ) {
        StoreStage(pipeline: self, plan: work.plan).run(node, key, result, priority, targets, coordinator)
    }

    // MARK: Previews

    /// Passes the bytes that have come to the previews of a decode.
    func appendPartialData(
        _ node: NodeID, _ work: Work, _ policy: PreviewPolicy, _ bytes: ReceivedBytes, reportingTo coordinator: any Reporting
    ) {
        guard work.kind == .decode, let incrementalDecoder else { return }
        let session = work.plan.previews.withLock { [self] previews in
            let session =
                previews
                ?? PreviewSession(
                    node, decoder: incrementalDecoder,
                    options: DecodeStage(pipeline: self, plan: work.plan, step: work.step).options,
                    processor: work.step?.processor,
                    clock: previewClock, workers: previewWorkers, interval: configuration.previewInterval,
                    coordinator: coordinator)
            previews = session
            return session
        }
        session.append(bytes, policy)
    }

    /// Runs a processor on a preview, on the thread that made it. A failure is ignored.
    func processPreview(
        _ node: NodeID, _ work: Work, _ input: WorkResult, _ token: CancellationToken,
        reportingTo coordinator: any Reporting
    ) {
        guard work.kind == .process, let processor = work.step?.processor, case .image(let before) = input,
            !token.isCancelled, !(before.isThumbnail && processor.isPlacedInPixels)
        else { return }
        let context = ProcessingContext(cancellation: token)
        guard var image = try? processor.process(before.image, context: context) else { return }
        image.isPreview = true
        coordinator.preview(
            node, .image(StagedImage(image, tier: before.tier, metrics: before.metrics, isThumbnail: before.isThumbnail)), token)
    }

    /// Keeps a preview in memory for a later load, unless the image itself is there.
    func keepPreview(_ key: WorkKey, _ preview: WorkResult) {
        guard case .image(let staged) = preview, peek(key.image) == nil else { return }
        configuration.memoryCache?.store(staged.image, for: key.image, priority: .normal)
    }

    func clearCaches() async throws {
        configuration.memoryCache?.removeAll()
        await configuration.onClear?()
        try await configuration.dataCache?.removeAll()
    }
}

extension Pipeline.Reporting {
    /// Ends a step with what went wrong: cancellation stays apart, everything else is wrapped once.
    @inline(never)
    func fail(
        _ node: NodeID, _ error: any Error, stage: LoadStage, _ plan: LoadPlan, _ token: CancellationToken
    ) {
        let failure: LoadFailure =
            if token.isCancelled || error is CancellationError {
                .cancelled
            } else {
                .failed(.wrapping(error, stage: stage, source: plan.request.description))
            }
        finish(node, .failure(failure), retention: .never)
    }
}
