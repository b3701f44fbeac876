internal import ImageCore

/// The life of a request, on one page.
///
/// | stage | what happens | where |
/// |---|---|---|
/// | request | the three layers of options are merged, the work is named | ``LoadCoordinator/plan(_:)``, `LoadPlan` |
/// | memory cache | a hit ends the load, on the caller's thread | ``askMemory(_:)`` |
/// | processed cache | the data cache is asked for the finished picture, where it may be | `ProcessedCacheStage` |
/// | original cache | the data cache is asked for the bytes | `OriginalCacheStage` |
/// | network | the source is fetched, its answer judged | `FetchStage` |
/// | decode | on a worker thread | `DecodeStage` |
/// | process | on a worker thread, one run of processors at a time (`PixelStep`) | `ProcessStage` |
/// | store | the image in memory; the bytes, or the image encoded, on disk | `StoreStage` |
/// | deliver | every subscriber gets the result | ``LoadCoordinator`` |
///
/// The coordinator's graph decides who shares which work and when a step may run; a step that may run comes here. The
/// pipeline keeps nothing between steps.
final class Pipeline: Sendable {
    /// Where a step reports to.
    protocol Reporting: AnyObject, Sendable {
        func report(_ progress: LoadProgress, _ bytes: ReceivedBytes, from node: NodeID)
        func preview(_ node: NodeID, _ preview: WorkResult, _ token: CancellationToken)
        func advance(_ node: NodeID, to resource: ResourceClass)
        func finish(_ node: NodeID, _ result: Result<WorkResult, LoadFailure>, retention: Retention, on place: Place)
        func retryUpstream(of node: NodeID, otherwise failure: LoadFailure)
        /// Whether a decode that takes so much memory may go on; otherwise its step runs again when it may.
        func claim(_ node: NodeID, bytes: Int) -> Bool
        /// Whether previews that take so much memory may be made.
        func claimForPreviews(_ node: NodeID, bytes: Int) -> Bool
        /// A cancelled decode has left memory behind, which is taken until it ends.
        func hold(_ remainder: CancelledRemainder)
        func storeFinished(_ node: NodeID)
        /// Tells the observers. What they are told is not even made where there are none.
        func observe(_ observation: @autoclosure () -> LoadObservation, _ plan: LoadPlan)
    }

    let configuration: ImageLoader.Configuration
    let memory: Memory?
    let workers: WorkerPool
    /// One thread for all previews, so that they never keep a worker from a picture that is whole.
    let previewWorkers = WorkerPool(size: 1)
    /// One thread that encodes what is kept on disk.
    let encodingWorkers = WorkerPool(size: 1)
    private let previewClock: PreviewClock
    private let incrementalDecoder: (any IncrementalDecoding)?
    let accept: String

    /// The memory cache, in a box: to look whether there is a plug-in costs more than to look whether there is an object.
    final class Memory: Sendable {
        let cache: any Caching

        init(_ cache: any Caching) { self.cache = cache }
    }

    init(_ configuration: ImageLoader.Configuration) {
        self.configuration = configuration
        memory = configuration.memoryCache.map(Memory.init)
        workers = WorkerPool(size: configuration.limits.workers)
        previewClock = PreviewClock(configuration.clock)
        incrementalDecoder = configuration.decoder as? any IncrementalDecoding
        accept = FetchStage.accept(for: configuration.decoder.formats)
    }

    /// Whether the memory cache is asked for the finished picture.
    func asksMemory(_ plan: LoadPlan) -> Bool {
        plan.options.cachePolicy.readsMemory && plan.goal == .image && memory != nil
    }

    /// The memory cache's answer, if the options let it be asked. A hit ends the load on the caller's thread; a cached
    /// preview is none.
    func askMemory(_ plan: LoadPlan) -> DecodedImage? {
        plan.options.cachePolicy.readsMemory ? memory?.cache.image(for: plan.imageKey) : nil
    }

    /// What the memory cache has, not counted as a use; no preview.
    func peek(_ key: ImageKey) -> DecodedImage? {
        memory?.cache.peekImage(for: key).flatMap { $0.isPreview ? nil : $0 }
    }

    /// What a load wants from its work, as far as the loader has the caches for it.
    func subscriberOptions(for plan: LoadPlan) -> SubscriberOptions {
        var options = plan.subscriberOptions
        if memory == nil { options.writesMemory = false }
        if configuration.dataCache == nil { (options.writesDisk, options.writesResult) = (false, false) }
        return options
    }

    /// The work behind a load, the wanted result first: processors from the last to the first, decode, original.
    /// It is cut where the memory cache has the result of a prefix.
    ///
    /// - Parameter isWanted: whether work with that key is there already.
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
        for place in steps.indices.reversed() {
            let step = steps[place]
            if place < steps.count - 1, let image = prefix(step.variant, of: plan) {
                return (links, .image(StagedImage(image, tier: .memory, metrics: LoadMetrics())))
            }
            // Where nobody has the full picture yet, it need not be made for a step that wants less of it.
            let isReduced =
                place == 1 && plan.options.targetSize == nil && step.reducesDecode && prefix(0, of: plan) == nil
            let isDecode = isReduced || step.processor == nil
            links.append(
                WorkLink(
                    key: imageKey(of: plan, after: step.variant),
                    work: Work(kind: isDecode ? .decode : .process, plan: plan, step: step), resource: .worker,
                    scale: place == 0 ? plan.scale : nil))
            if isReduced { break }
        }
        links.append(originalLink(plan))
        return (links, nil)
    }

    /// Whether bytes of the web are kept anywhere.
    var hasByteCache: Bool { configuration.dataCache != nil || configuration.responseCache != nil }

    /// The short way to a finished picture that the data cache may have.
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

    /// What the memory cache has of a plan's picture after decoding and so many processors.
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
            // Half a body must not become anyone's picture.
            key: WorkKey(
                kind: plan.goal == .info && kind != .cachedOnly ? .headerBytes : kind, image: ImageKey(resource: plan.resource)),
            work: Work(kind: .original, plan: plan), resource: resource, group: host)
    }

    /// Carries out one step, and reports to the coordinator when it ends. Returns at once.
    func run(
        _ node: NodeID, _ work: Work, _ resource: ResourceClass, input: WorkResult?, _ start: StepStart,
        reportingTo coordinator: any Reporting
    ) {
        let plan = work.plan
        switch work.kind {
        case .original where resource == .diskCache:
            OriginalCacheStage(pipeline: self, plan: plan).run(node, start, coordinator)
        case .original: FetchStage(pipeline: self, plan: plan, rank: start.rank).run(node, start, coordinator)
        case .decode: DecodeStage(pipeline: self, plan: plan, step: work.step).run(node, input, start, coordinator)
        case .header: HeaderStage(pipeline: self, plan: plan).run(node, input, start, coordinator)
        case .processedBytes: ProcessedCacheStage(pipeline: self, plan: plan).lookUp(node, start, coordinator)
        case .processedImage: ProcessedCacheStage(pipeline: self, plan: plan).decode(node, input, start, coordinator)
        case .process: ProcessStage(pipeline: self, plan: plan, step: work.step).run(node, input, start, coordinator)
        }
    }

    /// Whether a decode may begin now: what its header announces fits into the budget of all that run.
    func admits(
        _ data: Data, _ node: NodeID, _ limits: DecodingLimits, _ start: StepStart, _ coordinator: any Reporting
    ) -> Bool {
        guard !start.hasMemoryReservation, configuration.limits.decodingBytes < .max, !data.isEmpty else { return true }
        // What is wrong with a header, the decode tells.
        guard let info = try? configuration.decoder.info(of: data, limits: limits) else { return true }
        return coordinator.claim(node, bytes: info.decodedBytes)
    }

    /// Asks a plug-in for what costs little, on a worker thread.
    func onWorker<R: Sendable>(_ question: @escaping @Sendable (ImageLoader.Configuration) -> R) async -> R {
        await withCheckedContinuation { continuation in
            workers.submit(from: .elsewhere) { [self] in continuation.resume(returning: question(configuration)) }
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

    /// Gives bytes that have come to the previews of a decode.
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

    /// Runs a processor on a preview, on the thread that made it. What fails is not shown.
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

    /// Keeps a preview in memory for a later load, unless the picture itself is there.
    func keepPreview(_ key: WorkKey, _ preview: WorkResult) {
        guard case .image(let staged) = preview, peek(key.image) == nil else { return }
        memory?.cache.store(staged.image, for: key.image, priority: .normal)
    }

    func clearCaches() async throws {
        memory?.cache.removeAll()
        await configuration.onClear?()
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

extension ImageInfo {
    /// What the picture takes in memory when it is decoded in full, in bytes.
    var decodedBytes: Int {
        guard let pixels = size.pixelCount else { return .max }
        let bytes = pixels.multipliedReportingOverflow(by: PixelFormat.rgba8.bytesPerPixel)
        return bytes.overflow ? .max : bytes.partialValue
    }
}
