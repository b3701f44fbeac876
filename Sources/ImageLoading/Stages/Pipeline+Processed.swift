internal import HTTPTypes
internal import ImageCore

/// Finished images in the data cache. They follow the rules of the response cache for the responses that they were made from.
extension Pipeline {
    /// What follows a miss, in a pipeline that may have the bytes.
    typealias Miss = @Sendable (Pipeline) -> WorkStep

    /// The finished image in the data cache. An entry that is damaged or has another original is removed, and a miss.
    func processedImage(_ work: SharedWork, otherwise: @escaping Miss) -> WorkStep {
        let stage = ProcessedCacheStage(parts: parts, plan: work.plan, image: work.key.image)
        let miss: Miss = { pipeline in
            coordinator.observe(.cacheLookup(.disk, isHit: false), work.plan)
            return otherwise(pipeline)
        }
        return .task(.processedCache, on: .diskCache) { () -> DataEntry? in
            do {
                return try await parts.dataCache?.entry(for: stage.key)
            } catch {
                coordinator.observe(CacheError(cause: error), in: .processedCache, work.plan)
                return nil
            }
        } then: { entry, times in
            entry.map { found($0, stage, times, work, miss) } ?? miss(self)
        }
    }

    private func found(
        _ entry: DataEntry, _ stage: ProcessedCacheStage, _ lookup: StageTimes, _ work: SharedWork,
        _ miss: @escaping Miss
    ) -> WorkStep {
        guard let rules = stage.rules, let request = stage.request else {
            // Only the rules of a response cache can ask the server.
            let mustAsk = work.plan.options.cachePolicy.revalidatesDisk
            return mustAsk ? miss(self) : decodedEntry(entry, stage, lookup, work, miss)
        }
        switch rules.use(of: entry, for: request) {
        case .serve: break
        case .serveWhileRevalidating: revalidateInBackground(request, rules, stage, work)
        case .revalidate(let fields): return revalidated(entry, request.with(fields), rules, stage, lookup, work, miss)
        case .none: return miss(self)
        }
        return decodedEntry(entry, stage, lookup, work, miss)
    }

    /// - Parameters:
    ///   - lookup: the times of the lookup.
    ///   - network: the times of a revalidation before.
    private func decodedEntry(
        _ entry: DataEntry, _ stage: ProcessedCacheStage, _ lookup: StageTimes, network: StageTimes = StageTimes(),
        _ work: SharedWork, _ miss: @escaping Miss
    ) -> WorkStep {
        .worker(.decode) { [parts] in
            parts.bitmapBytes(
                of: entry.data, parts.configuration.limits.decoding, keepsDepth: !work.plan.options.convertsTo8Bit)
        } _: {
            try result(of: work, isCached: true) { try stage.decode(entry, work.token) }
        } then: { result, times in
            guard case .success(let image) = result else { return removed(stage) { miss(self) } }
            coordinator.observe(.cacheLookup(.disk, isHit: true), work.plan)
            var metrics = LoadMetrics()
            metrics.byteCount = entry.data.count
            (metrics.processedCache, metrics.network, metrics.decode) = (lookup.working, network.working, times.working)
            metrics.waiting = network.waiting + times.waiting
            let staged = StagedImage(image, tier: .disk, metrics: metrics)
            let (targets, priority) = coordinator.stores(of: work)
            if targets.contains(.memory) { storeInMemory(staged, priority, work) }
            return .finished(.image(staged))
        }
    }

    /// Removes the entry before the load continues, which may store a new one.
    private func removed(_ stage: ProcessedCacheStage, then next: @escaping @Sendable () -> WorkStep) -> WorkStep {
        .task(nil, on: .diskCache) {
            await remove(stage)
        } then: { _, _ in
            next()
        }
    }

    private func remove(_ stage: ProcessedCacheStage) async {
        await report(.processedCache, stage.plan) { try await parts.dataCache?.removeEntry(for: stage.key) }
    }

    // MARK: Revalidation

    /// A stale image, after the server has confirmed its original; otherwise the image is made from the new original.
    private func revalidated(
        _ entry: DataEntry, _ request: DataRequest, _ rules: any ProcessedImageRules, _ stage: ProcessedCacheStage,
        _ lookup: StageTimes, _ work: SharedWork, _ miss: @escaping Miss
    ) -> WorkStep {
        .task(.network, on: .network) {
            var request = request
            (request.priority, request.deadline) = (coordinator.rank(of: work).priority, coordinator.deadline(of: work))
            do {
                return try await stage.revalidate(entry, request, rules, progress(work))
            } catch let error as ImageError where [404, 410].contains(error.status) {
                // An image that is gone must not be shown again when the server fails.
                await remove(stage)
                throw error
            }
        } then: { result, times in
            switch result {
            case .confirmed(let confirmed):
                if confirmed.storedAt != entry.storedAt { store(confirmed, stage, for: work) }
                return decodedEntry(confirmed, stage, lookup, network: times, work, miss)
            case .fetched(let body):
                var pipeline = self
                pipeline.fetched = original(of: body, times, work)
                return removed(stage) { [pipeline] in miss(pipeline) }
            case .outdated: return removed(stage) { miss(self) }
            }
        }
    }

    private func store(_ entry: DataEntry, _ stage: ProcessedCacheStage, for work: SharedWork) {
        guard let cache = parts.dataCache, coordinator.stores(of: work).targets.contains(.processed) else { return }
        storeInBackground(work.id, work.plan) { try await cache.store(entry, for: stage.key) }
    }

    /// Revalidates an image that was served. If its original has changed, the next load makes it again.
    private func revalidateInBackground(
        _ request: DataRequest, _ rules: any ProcessedImageRules, _ stage: ProcessedCacheStage, _ work: SharedWork
    ) {
        var request = request
        request.priority = .veryLow
        coordinator.revalidate(work.key.image, work.plan) { [self, request] in
            // Another load may have refreshed the image while this one waited.
            guard let entry = try? await parts.dataCache?.entry(for: stage.key) else { return }
            let fields: HTTPFields
            switch rules.use(of: entry, for: request) {
            case .serveWhileRevalidating(let conditional), .revalidate(let conditional): fields = conditional
            case .serve, .none: return
            }
            guard let result = try? await stage.revalidate(entry, request.with(fields), rules, { _, _ in }) else { return }
            switch result {
            case .confirmed(let confirmed):
                guard confirmed.storedAt != entry.storedAt else { return }
                // The entry must not return if the caches were cleared meanwhile.
                await report(.store, stage.plan) {
                    try await coordinator.stores.store(stage.plan.storeEpoch) {
                        try await parts.dataCache?.store(confirmed, for: stage.key)
                    }
                }
            case .fetched, .outdated: await remove(stage)
            }
        }
    }
}

extension DataRequest {
    fileprivate func with(_ fields: HTTPFields) -> DataRequest {
        var request = self
        request.headerFields = fields
        return request
    }
}
