internal import ImageCore

/// The life of a load, from top to bottom.
///
/// Before, the coordinator merges the options into a plan and looks the image up in the memory cache
/// (``LoaderParts/lookUpMemory(_:)``); a hit has no work. Afterwards it delivers the result to every load that waits for it.
///
/// In between, each function below makes the result of one kind of shared work, which runs once for all loads that want it. It returns
/// the next step of the work: a stage, the result of other work that it needs, or its own result. What happens to damaged bytes and to
/// stale images lies in extensions.
struct Pipeline: Sendable {
    let coordinator: LoadCoordinator
    /// The bytes, where the revalidation of a finished image has fetched them.
    var fetched: Original?

    var parts: LoaderParts { coordinator.parts }

    /// The first step of the work whose result a load waits for.
    func begin(_ work: SharedWork) throws -> WorkStep {
        switch work.plan.goal {
        case .image: finishedImage(work)
        case .bytes: try original(work)
        case .info, .prefetchToDisk: header(work)
        }
    }

    // MARK: Processed cache

    /// The finished image: from the data cache if loads keep finished images there, otherwise from the decode and the processors.
    private func finishedImage(_ work: SharedWork) -> WorkStep {
        let plan = work.plan
        let steps = plan.pixelSteps { coordinator.contains(plan.imageKey(after: $0, parts)) }
        guard work.key.kind == .processedImage else { return image(steps[...], work) }
        return processedImage(work) { pipeline in
            let need = WorkStep.Need(
                key: plan.imageKey(after: plan.variants.count - 1, parts), scale: steps.isEmpty ? plan.scale : nil,
                begin: { pipeline.image(steps[...], $0) }, then: { .finished($0) })
            return .needs(need)
        }
    }

    // MARK: Image

    /// The image after the decode and the steps.
    private func image(_ steps: ArraySlice<PixelStep>, _ work: SharedWork) -> WorkStep {
        // The second lookup in the memory cache. Other work may have made this image after the load missed it and before this
        // work could be joined. It stored the image before it could no longer be joined, so that this lookup finds it.
        if let image = parts.peekImage(work.key.image, work.plan) {
            return .finished(.image(StagedImage(image, tier: .memory, metrics: LoadMetrics())))
        }
        guard let step = steps.last else { return decodedImage(nil, work) }
        let (before, processor) = (steps.dropLast(), step.processor)
        if before.isEmpty, runsWithDecode(step, work.plan) { return decodedImage(processor, work) }
        processPreviews(processor, work)
        // [a, b] shares the work of [a].
        let need = WorkStep.Need(
            key: work.plan.imageKey(after: before.last?.variant ?? 0, parts), scale: before.isEmpty ? work.plan.scale : nil
        ) {
            image(before, $0)
        } then: { result in
            work.endPreviews()
            return processed(try result.image(), processor, work)
        }
        return .needs(need)
    }

    /// Whether the first step runs in one with the decode: it needs less than the full image, and the memory cache does not have
    /// that.
    private func runsWithDecode(_ step: PixelStep, _ plan: LoadPlan) -> Bool {
        plan.options.targetSize == nil && step.reducesDecode && parts.peekImage(plan.decodedKey, plan) == nil
    }

    /// The image as decoded, no larger than the processor needs, and processed by it.
    private func decodedImage(_ processor: (any Processing)?, _ work: SharedWork) -> WorkStep {
        makePreviews(processor, work)
        return needsOriginal(work) { result in
            switch result {
            case .original(let original): return decoded(original, processor, work)
            case .image(let larger):
                // Another load wants a larger size of the image at the same time, and this one is made from that.
                guard let original = larger.original else { throw ImageError.noInput }
                return decoded(original, from: larger, processor, work)
            case .header: throw ImageError.noInput
            }
        }
    }

    /// The original bytes, shared with other work.
    private func needsOriginal(_ work: SharedWork, then: @escaping @Sendable (WorkResult) throws -> WorkStep) -> WorkStep {
        .needs(WorkStep.Need(key: work.plan.originalKey(parts), begin: { try original($0) }, then: then))
    }

    // MARK: Original cache

    /// The original bytes: from the cache of bytes, which is looked up once, or else from the source. A cache that fails counts as a
    /// miss.
    private func original(_ work: SharedWork) throws -> WorkStep {
        if let fetched { return .finished(.original(fetched)) }
        let plan = work.plan
        let origin = plan.origin(parts)
        if plan.isLocal || origin == .source { return fetchedOriginal(work, nil) }
        guard origin != .none else { throw notCached(plan) }
        return .task(.originalCache, on: .diskCache) { [parts] in
            do {
                return try await OriginalCacheStage(parts: parts, plan: plan).lookUp(
                    plan.dataRequest(coordinator.rank(of: work), parts), progress(work))
            } catch let error as CacheError {
                coordinator.observe(error, in: .originalCache, plan)
                return .miss(nil)
            }
        } then: { lookup, times in
            try found(lookup, times, work)
        }
    }

    private func found(_ lookup: OriginalCacheStage.Lookup, _ times: StageTimes, _ work: SharedWork) throws -> WorkStep {
        let plan = work.plan
        switch lookup {
        case .hit(let body, let revalidate):
            coordinator.observe(.cacheLookup(.disk, isHit: true), plan)
            if let revalidate { coordinator.revalidate(ImageKey(resource: plan.resource), plan, revalidate) }
            var metrics = LoadMetrics()
            metrics.byteCount = body.entry.data.count
            metrics.originalCache = times.working
            return .finished(.original(Original(body, of: work.id, metrics: metrics)))
        case .miss(let transaction):
            if parts.hasByteCache { coordinator.observe(.cacheLookup(.disk, isHit: false), plan) }
            guard !plan.options.cachePolicy.isOnlyIfCached else { throw notCached(plan) }
            return fetchedOriginal(work, transaction)
        }
    }

    private func notCached(_ plan: LoadPlan) -> ImageError {
        ImageError(
            .notCached,
            message: "\(plan.request) is in none of the caches that the cache policy reads, and the policy allows no fetch.",
            stage: .originalCache, source: plan.request.description)
    }

    // MARK: Network

    /// Fetches the source.
    ///
    /// - Parameter transaction: what the lookup in the response cache found.
    func fetchedOriginal(_ work: SharedWork, _ transaction: (any ResponseTransaction)?) -> WorkStep {
        .task(.network, on: work.plan.isLocal ? .local : .network) {
            try await FetchStage(parts: parts, plan: work.plan).fetch({ request(for: $0, work, transaction) }, progress(work))
        } then: { body, times in
            .finished(.original(original(of: body, times, work)))
        }
    }

    // Not inlined: a load that waits for the network keeps the frame of its fetch, which would grow by the request that is made here.
    @inline(never)
    private func request(for url: URL, _ work: SharedWork, _ transaction: (any ResponseTransaction)?) -> DataRequest {
        work.plan.dataRequest(
            url, coordinator.rank(of: work), parts, deadline: coordinator.deadline(of: work), transaction: transaction)
    }

    func original(of body: FetchedBody, _ times: StageTimes, _ work: SharedWork) -> Original {
        let plan = work.plan
        var metrics = LoadMetrics()
        metrics.byteCount = body.entry.data.count
        metrics.retries = body.retries
        (metrics.network, metrics.waiting) = (times.working, times.waiting)
        if body.tier == .network { coordinator.counts.withLock { $0.add(fetch: metrics) } }
        let original = Original(body, of: work.id, metrics: metrics)
        // Bytes that are not decoded are stored where a decoder knows their format, which takes only a look at their first bytes.
        if plan.goal == .bytes, parts.decoder.format(of: body.entry.data) != nil { store(original, for: work) }
        return original
    }

    /// Reports the bytes that arrive to the loads, and to the previews.
    func progress(_ work: SharedWork) -> ResponseReader.Progress {
        { [coordinator] bytes, progress in
            coordinator.observe(.progress(progress), work.plan)
            coordinator.report(progress, bytes, from: work)
        }
    }

    // MARK: Decode

    /// Decodes the bytes on a worker thread.
    ///
    /// - Parameter larger: the image at a larger size, decoded from the same bytes for another load.
    func decoded(
        _ original: Original, from larger: StagedImage? = nil, _ processor: (any Processing)?, _ work: SharedWork
    ) -> WorkStep {
        if work.endPreviews() { coordinator.releasePreviewMemory(of: work) }
        let (plan, stage) = (work.plan, DecodeStage(parts: parts, plan: work.plan, processor: processor))
        return .worker(.decode) { [parts] in
            larger == nil
                ? parts.bitmapBytes(of: original.entry.data, parts.limits(plan), keepsDepth: !plan.options.convertsTo8Bit) : 0
        } _: {
            try result(of: work, isCached: isCached(original, work.plan)) {
                try stage.decode(original, from: larger?.image, work.token)
            }
        } then: { result, times in
            switch result {
            case .success(let decoded): finished(decoded.image, decoded.next, original, times, work)
            case .failure(let error): damaged(original, error, stage.processor, work)
            }
        }
    }

    private func finished(
        _ image: DecodedImage, _ processor: (any Processing)?, _ original: Original, _ times: StageTimes, _ work: SharedWork
    ) -> WorkStep {
        // The bytes are an image: no error page gets into the cache.
        store(original, for: work)
        var metrics = original.metrics
        metrics.decode = times.working
        metrics.waiting += times.waiting
        let decoded = StagedImage(
            image, tier: original.tier, metrics: metrics, source: original.responseHead,
            original: work.plan.scale == nil ? nil : original)
        return processor.map { processed(decoded, $0, work) } ?? finished(decoded, work)
    }

    // MARK: Process

    /// Runs a processor, or several that work as one, on a worker thread.
    private func processed(_ before: StagedImage, _ processor: any Processing, _ work: SharedWork) -> WorkStep {
        .worker(.process) {
            try ProcessStage(processor, of: work.plan, parts).process(before.image, work.token)
        } then: { image, times in
            var metrics = before.metrics
            metrics.process += times.working
            metrics.waiting += times.waiting
            return finished(StagedImage(image, tier: before.tier, metrics: metrics, source: before.source), work)
        }
    }

    // MARK: Store

    /// The end of work that makes an image: it is stored where its loads want it, in memory at once, encoded on disk while the load
    /// continues. A partial image goes to the loads that allow one, but into no cache, where it would count as whole.
    private func finished(_ image: StagedImage, _ work: SharedWork) -> WorkStep {
        if !image.image.isPartial { store(image, for: work) }
        return .finished(.image(image))
    }

    // MARK: Header

    /// Reads the header. A header that a decoder accepts is proof enough to store the bytes.
    private func header(_ work: SharedWork) -> WorkStep {
        needsOriginal(work) { result in
            let original = try result.original()
            return .worker(.decode) {
                try HeaderStage(parts: parts, plan: work.plan).info(of: original)
            } then: { info, _ in
                if original.isWhole { store(original, for: work) }
                return .finished(.header(OriginalHeader(info, of: original)))
            }
        }
    }
}

extension ImageError {
    /// A stage began without the result that it needs: a defect of the engine.
    static let noInput = ImageError(.plugInFailed, message: "The engine started a step without its input; please report this.")
}
