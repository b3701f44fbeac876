internal import ImageCore

// The life of a load, from top to bottom: nine stages in the order in which they happen.
//
// The first two run on the caller's thread. The rest makes the output of a job, which runs once for all loads that want
// it, in a task of its own. A job that needs the output of another one waits for it
// (``LoadCoordinator/output(of:steps:scale:fetched:for:)``): a processed image for the image before it, a decode for
// the bytes.

// MARK: 1. Request

extension LoadCoordinator {
    /// Starts a load: merges the three layers of its options, and begins it. An invalid option fails the load.
    ///
    /// - Parameters:
    ///   - wantsProgress: whether the task gets progress and previews; a plain `await` has no use for them.
    ///   - onEvent: called for each event, after this call.
    func start(_ request: ImageRequest, wantsProgress: Bool, onEvent: (@Sendable (LoadEvent) -> Void)?) -> ImageTask {
        do {
            return start(components.lookUpMemory(try plan(request)), wantsProgress: wantsProgress, onEvent: onEvent)
        } catch {
            let task = makeTask(LoadPlan(.next(), request, .standard), wantsProgress, onEvent)
            task.finish(.failure(error))
            task.startDelivering()
            return task
        }
    }

    /// Starts a load that the memory cache was looked up for. It ends before this call returns when its image is there.
    func start(_ lookup: MemoryLookup, wantsProgress: Bool, onEvent: (@Sendable (LoadEvent) -> Void)?) -> ImageTask {
        let task = makeTask(lookup.plan, wantsProgress, onEvent)
        task.startDeadline()
        if lookup.plan.goal == .intercepted { intercept(task) } else { begin(task, lookup) }
        let request = lookup.plan.request
        if wantsProgress, let source = request.lowResolution, !task.hasEnded {
            startLowResolution(request.replacing(source), for: task)
        }
        if onEvent != nil { task.startDelivering() }
        return task
    }

    // MARK: 2. Memory cache

    /// Ends a load with its image from the memory cache, or subscribes it to the job that makes its output.
    ///
    /// - Parameter lookup: what the memory cache has for the load, or for the fallback source that it tries now.
    func begin(_ task: ImageTask, _ lookup: MemoryLookup) {
        let plan = lookup.plan
        observe(lookup)
        if let hit = lookup.hit { return task.finish(.success(LoadOutput(cached: hit))) }
        if let preview = lookup.found, plan.options.previews != .none { task.show(preview) }
        if lookup.found == nil, task.wantsProgress, let larger = components.largerCachedImage(for: plan) {
            task.show(larger, isLargerImage: true)
        }
        guard !control.withLock({ $0.isClosed }) else { return task.finish(.failure(.cancelled)) }
        // Stages 3 to 8, once for all loads.
        guard let output = subscribe(task, plan) else { return }
        // The job had ended, and its output is being stored.
        if plan.subscriberOptions.targets.contains(.memory), case .image(let staged) = output.content, !staged.image.isPartial {
            storeNow(plan) {
                components.memoryCache.store(staged.image, for: plan.imageKey, priority: plan.options.cachePriority)
            }
        }
        deliver(.success(output), to: task, isCoalesced: true)
    }
}

struct Pipeline: Sendable {
    let coordinator: LoadCoordinator
    let job: Job

    var plan: LoadPlan { job.plan }
    var components: Components { coordinator.components }
    var runner: StageRunner { StageRunner(coordinator: coordinator, job: job) }
    var store: StoreStage { StoreStage(coordinator: coordinator, job: job) }

    /// Makes the output of the job.
    func makeOutput() async throws -> LoadOutput.Content {
        switch job.key.kind {
        case .processedImage: .image(try await makeFinishedImage())
        case .image: .image(try await makeImage())
        case .encodedImage: .encoded(try await makeEncodedImage())
        case .original, .headerBytes:
            plan.request.source.isDecoded ? .image(try await makeGivenImage()) : .bytes(try await makeOriginal())
        case .imageInfo, .validatedHeader: try await readHeader()
        case .revalidation: .bytes(try await revalidate())
        }
    }

    // MARK: 3. Processed cache

    /// The finished image: from the data cache if loads keep finished images there, otherwise from the decode and the
    /// processors.
    private func makeFinishedImage() async throws -> StagedImage {
        var fetched: Original?
        switch try await lookUpProcessedEntry() {
        case .hit(let entry): if let image = try await decodeProcessedImage(entry) { return image }
        case .miss(let original): fetched = original
        }
        coordinator.observe(.cacheLookup(.disk, isHit: false), plan)
        return try await image(after: job.steps, fetched)
    }

    enum ProcessedLookup {
        case hit(DataEntry)
        /// The bytes, where the question whether the image is current has brought them.
        case miss(Original?)
    }

    /// Looks the finished image up, or its bytes in a format. A stale entry is served where its rules allow that, or
    /// after the server has confirmed its original.
    func lookUpProcessedEntry() async throws -> ProcessedLookup {
        let stage = processedStage
        guard let entry = try await processedEntry() else { return .miss(nil) }
        switch stage.use(of: entry) {
        case .none: return .miss(nil)
        case .serve: return .hit(entry)
        case .serveWhileRevalidating:
            coordinator.revalidate(job.key.image, plan, .processedImage)
            return .hit(entry)
        case .revalidate(let fields):
            switch try await confirmOrStandIn(entry, stage, fields) {
            case .confirmed(let confirmed):
                if confirmed.storedAt != entry.storedAt { store.store(confirmed, stage) }
                return .hit(confirmed)
            case .fetched(let original):
                count(original)
                return .miss(original)
            case .outdated: return .miss(nil)
            }
        }
    }

    /// Looks up the image of the job, which is on the way to another one, and takes it only where the server need not
    /// be asked.
    private func lookUpFreshProcessedImage() async throws -> StagedImage? {
        guard let entry = try await processedEntry(), processedStage.use(of: entry) == .serve else { return nil }
        return try await decodeProcessedImage(entry)
    }

    private func processedEntry() async throws -> DataEntry? {
        let key = processedStage.key
        let found = try await runner.run(.processedCache) {
            await coordinator.ignoringCacheErrors(in: .processedCache, plan) {
                try await components.dataCache?.entry(for: key)
            }
        }
        return found ?? nil
    }

    /// An image that does not decode is removed, and a miss.
    private func decodeProcessedImage(_ entry: DataEntry) async throws -> StagedImage? {
        let stage = processedStage
        let keepsDepth = !plan.options.convertsTo8Bit
        do {
            let image = try await runner.runOnWorker(.decode) { [components] in
                components.bitmapBytes(of: entry.data, components.configuration.limits.decoding, keepsDepth: keepsDepth)
            } _: { [job] in
                try stage.decode(entry, job.token)
            }
            coordinator.observe(.cacheLookup(.disk, isHit: true), plan)
            job.metrics.withLock { $0.byteCount = entry.data.count }
            var current = image
            current.wasDecoded(from: stage.original(of: entry), freshUntil: stage.freshUntil(madeFrom: nil, stored: entry))
            let staged = StagedImage(current, tier: .disk)
            let (targets, priority) = coordinator.stores(of: job)
            if targets.contains(.memory) { store.storeInMemory(staged, priority) }
            return staged
        } catch is ImageError {
            await remove(stage)
            return nil
        }
    }

    // MARK: The way to the pixels

    /// The image after some steps: the output of another job, so that [a, b] shares the work of [a].
    func image(after steps: [PixelStep], _ fetched: Original? = nil) async throws -> StagedImage {
        let output = try await coordinator.output(
            of: plan.imageKey(after: steps.last?.variant ?? 0, components), steps: steps,
            scale: steps.isEmpty ? plan.scale : nil, fetched: fetched, for: job)
        guard case .image(let image) = output else { throw ImageError.noInput }
        return image
    }

    /// The image after the decode and the steps of the job.
    private func makeImage() async throws -> StagedImage {
        // The second lookup in the memory cache. Another job may have made this image after the load missed it and
        // before this one could be joined. It stored the image before it could no longer be joined, so that this lookup
        // finds it.
        let unscaled = { job.steps.isEmpty ? components.unscaledImage(for: plan) : nil }
        // What is in memory is older than bytes that have just been fetched.
        if job.fetched == nil, let image = components.peekImage(job.key.image, plan) ?? unscaled() {
            return StagedImage(image, tier: .memory)
        }
        // So that [a, b] on disk is the start of [a, b, c]. The whole list was looked up before.
        if plan.mayStartFromDisk(job.key.image, steps: job.steps), let image = try await lookUpFreshProcessedImage() {
            return image
        }
        let image: StagedImage
        if let step = job.steps.last, job.steps.count > 1 || !runsWithDecode(step) {
            job.makePreviews(of: .image(step.processor))
            let before = try await self.image(after: Array(job.steps.dropLast()), job.fetched)
            job.endPreviews()
            image = try await process(before, step.processor)
        } else {
            image = try await decodeOriginal(reducedFor: job.steps.last?.processor)
        }
        // A partial image goes to the loads that allow one, but into no cache, where it would count as whole.
        if !image.image.isPartial { store.store(image) }
        return image
    }

    /// Whether the first step runs in one with the decode: it needs less than the full image, and the memory cache does
    /// not have that.
    private func runsWithDecode(_ step: PixelStep) -> Bool {
        plan.options.targetSize == nil && step.reducesDecode && components.peekImage(plan.decodedKey, plan) == nil
    }

    /// The image as decoded, no larger than the processor needs, and processed by it.
    private func decodeOriginal(reducedFor processor: (any Processing)?) async throws -> StagedImage {
        job.makePreviews(of: .bytes(processor))
        defer { coordinator.endPreviews(of: job) }
        switch try await coordinator.output(of: plan.originalKey(components), fetched: job.fetched, for: job) {
        case .bytes(let original):
            do {
                return try await decode(original, processor)
            } catch let error as ImageError where original.tier == .disk && error.meansDamage {
                return try await decodeAgain(processor, after: error)
            }
        case .image(let larger):
            if plan.request.source.isDecoded { return try await adapt(larger.image, processor) }
            // Another load wants a larger size of the image at the same time, and this one is made from that.
            guard let original = larger.original else { throw ImageError.noInput }
            return try await decode(original, from: larger, processor)
        case .info, .encoded: throw ImageError.noInput
        }
    }

    /// The cache has damaged bytes: they are removed, and fetched once more.
    private func decodeAgain(_ processor: (any Processing)?, after error: ImageError) async throws -> StagedImage {
        await OriginalCacheStage(coordinator: coordinator, job: job).remove()
        job.makePreviews(of: .bytes(processor))
        guard !plan.options.cachePolicy.isOnlyIfCached else { throw error }
        let again = try await coordinator.output(of: plan.fetchedOriginalKey(components), for: job)
        guard case .bytes(let original) = again else { throw ImageError.noInput }
        return try await decode(original, processor)
    }

    // MARK: 4. Original cache

    /// The original bytes: from the cache of bytes, which is looked up once, or else from the source.
    private func makeOriginal() async throws -> Original {
        if let fetched = job.fetched { return fetched }
        if plan.isLocal || job.key.origin == .source { return try await fetch(nil) }
        guard job.key.origin != .none else { throw notCached }
        let found = try await runner.run(.originalCache) {
            try await OriginalCacheStage(coordinator: coordinator, job: job).lookUp()
        }
        switch found {
        case .hit(let original, let transaction):
            coordinator.observe(.cacheLookup(.disk, isHit: true), plan)
            if let transaction { coordinator.revalidate(job.key.image, plan, .response(transaction)) }
            job.metrics.withLock { $0.byteCount = original.entry.data.count }
            return original
        case .miss(let transaction):
            if components.hasByteCache { coordinator.observe(.cacheLookup(.disk, isHit: false), plan) }
            guard !plan.options.cachePolicy.isOnlyIfCached else { throw notCached }
            return try await fetch(replacing: transaction)
        }
    }

    private var notCached: ImageError {
        ImageError(
            .notCached,
            message: "\(plan.request) is in none of the caches that the cache policy reads, and the policy allows no fetch.",
            stage: .originalCache, source: plan.request.description)
    }

    // MARK: 5. Network

    /// Fetches the source.
    ///
    /// - Parameters:
    ///   - transaction: what the lookup in the response cache found.
    ///   - standsIn: whether a failure is answered by what is stored.
    func fetch(
        _ transaction: (any ResponseTransaction)?, standsIn: (@Sendable (ImageError) -> Bool)? = nil
    ) async throws -> Original {
        let original = try await runner.run(.network, on: plan.isLocal ? .local : .network) {
            try await NetworkStage(coordinator: coordinator, job: job).fetch(transaction, standsIn: standsIn)
        }
        // Bytes that are not decoded are stored where a decoder knows their format, which takes only a look at their
        // first bytes.
        if plan.goal == .bytes, components.decoder.format(of: original.entry.data) != nil { store.store(original) }
        count(original)
        return original
    }

    /// Counts bytes that were fetched.
    private func count(_ original: Original) {
        let metrics = job.metrics.withLock { metrics in
            metrics.byteCount = original.entry.data.count
            return metrics
        }
        if original.tier == .network { coordinator.counts.withLock { $0.add(fetch: metrics) } }
    }

    // MARK: 6. Decode

    /// Decodes the bytes on a worker thread, and runs what is left of the processor.
    ///
    /// - Parameters:
    ///   - larger: the image at a larger size, decoded from the same bytes for another load.
    ///   - processor: the processor for which the decode may be reduced.
    private func decode(
        _ original: Original, from larger: StagedImage? = nil, _ processor: (any Processing)?
    ) async throws -> StagedImage {
        coordinator.endPreviews(of: job)
        let stage = DecodeStage(components: components, plan: plan, processor: processor)
        let keepsDepth = !plan.options.convertsTo8Bit
        let (image, rest) = try await runner.runOnWorker(.decode) { [components, plan] in
            larger == nil
                ? components.bitmapBytes(of: original.entry.data, components.limits(plan), keepsDepth: keepsDepth) : 0
        } _: { [job] in
            try stage.decode(original, from: larger, job.token)
        }
        // The bytes are an image: no error page gets into a cache.
        store.store(original, isAnimated: image.animation != nil)
        var current = image
        let follows = plan.options.memoryFollowsFreshness
        current.wasDecoded(
            from: original.response, freshUntil: follows ? processedStage.freshUntil(madeFrom: original.responseHead) : nil)
        let decoded = StagedImage(
            current, tier: original.tier, source: original.responseHead, original: plan.scale == nil ? nil : original,
            box: plan.options.targetSize)
        guard let rest else { return decoded }
        return try await process(decoded, rest)
    }

    /// Reads the header. A header that a decoder accepts is proof enough to store the bytes, if they are whole.
    private func readHeader() async throws -> LoadOutput.Content {
        switch try await coordinator.output(of: plan.originalKey(components), for: job) {
        case .bytes(let original):
            let info = try await runner.runOnWorker(.decode) { [components, plan] in
                try components.info(of: original, plan)
            }
            store.store(original)
            return .info(info, original.tier)
        case .image(let given): return .info(ImageInfo(given.image), given.tier)
        case .info, .encoded: throw ImageError.noInput
        }
    }

    // MARK: 7. Process

    /// Runs a processor, or several that work as one, on a worker thread.
    func process(_ before: StagedImage, _ processor: any Processing) async throws -> StagedImage {
        let stage = ProcessStage(processor, of: plan, components)
        var image = try await runner.runOnWorker(.process) { [job] in try stage.process(before.image, job.token) }
        image.takeOrigin(of: before.image)
        return StagedImage(image, tier: before.tier, source: before.source)
    }

    // MARK: 8. Store

    // ``StoreStage`` stores the bytes once they are decoded, and the image when its last step has run: in memory at
    // once, on disk while the loads continue.
}

// MARK: 9. Deliver

extension LoadCoordinator {
    /// Ends a load with the output of its job, unless there is another source to try.
    ///
    /// - Parameter isCoalesced: whether another load had begun the job.
    func deliver(_ outcome: Result<LoadOutput, LoadFailure>, to task: ImageTask, isCoalesced: Bool) {
        let began = observers.isEmpty ? nil : ContinuousClock.now
        switch outcome {
        case .success(let output):
            let bytes = output.tier == .memory ? 0 : output.metrics.byteCount
            let limit = task.plan.maximumResponseBytes(components)
            guard bytes <= limit else {
                // The load joined when the bytes were there.
                var error = ImageError.tooLarge(task.request.description, announced: bytes, limit: limit)
                (error.stage, error.source) = (.network, task.request.description)
                return deliver(.failure(.failed(error)), to: task, isCoalesced: false)
            }
            task.finish(output, isCoalesced: isCoalesced, deliveryBegan: began)
        case .failure(.cancelled): task.finish(.failure(.cancelled))
        case .failure(.failed(var error)):
            if isCoalesced { error.metrics?.isCoalesced = true }
            let isBound = isBound(task, by: error)
            guard let request = task.nextRequest(after: error, isBound: isBound) else { return task.fail(error) }
            do {
                let next = try plan(request, goal: task.plan.goal, continuing: task.plan)
                begin(task, components.lookUpMemory(next))
            } catch {
                if let error = error.error { task.fail(error) } else { task.finish(.failure(error)) }
            }
        }
    }
}

extension ImageError {
    /// A stage began without the result that it needs: a defect of the engine.
    static let noInput = ImageError(.plugInFailed, message: "The engine started a step without its input; please report this.")

    /// Whether bytes that do not decode are damaged, or no image, rather than more than a load allows or a decoder can.
    var meansDamage: Bool { stage == .decode && (category == .file || code == .unknownFormat) }
}
