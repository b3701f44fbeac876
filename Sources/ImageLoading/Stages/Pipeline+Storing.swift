internal import ImageCore

/// What is read from the caches finished, and what is stored in them.
extension Pipeline {
    /// The finished image in the data cache; `nil` for a miss. A damaged entry is removed, and a miss.
    func processedImage(_ work: SharedWork) async throws -> StagedImage? {
        let (plan, stage) = (work.plan, ProcessedCacheStage(parts: parts, image: work.key.image))
        let runner = StageRunner(work: work, parts: parts, coordinator: coordinator)
        let (entry, lookup): (DataEntry?, StageRunner.Times)
        do {
            (entry, lookup) = try await runner.run(.processedCache, on: .diskCache) { [parts] in
                do { return try await parts.dataCache?.entry(for: stage.key) } catch { throw CacheError(cause: error) }
            }
        } catch let error as CacheError {
            if !(error.cause is CancellationError) {
                coordinator.observe(.cacheFailed(wrapped(error, .processedCache, plan)), plan)
            }
            return nil
        }
        guard let entry else { return nil }
        coordinator.observe(.cacheLookup(.disk, isHit: true), plan)
        do {
            let (image, times) = try await runner.runOnWorker(.decode) { [parts] in
                parts.decodingBytes(of: entry.data, parts.configuration.limits.decoding)
            } _: {
                try stage.decode(entry, work.token)
            }
            var metrics = LoadMetrics()
            metrics.byteCount = entry.data.count
            (metrics.processedCache, metrics.decode, metrics.waiting) = (lookup.working, times.working, times.waiting)
            let staged = StagedImage(image, tier: .disk, metrics: metrics)
            storeInMemory(staged, work)
            return staged
        } catch is ImageError {
            // Before the load continues, which may store a new entry.
            await report(.processedCache, plan) { [parts] in try await parts.dataCache?.removeEntry(for: stage.key) }
            return nil
        }
    }

    /// Stores a finished image where its loads want it: in memory at once, encoded on disk while the load continues. A partial
    /// image goes to the loads that allow one, but into no cache, where it would count as whole.
    func store(_ image: StagedImage, _ work: SharedWork) {
        guard !image.image.isPartial else { return }
        storeInMemory(image, work)
        guard let cache = parts.dataCache, parts.configuration.encoder != nil,
            coordinator.targets(of: work).contains(.processed)
        else { return }
        let stage = ProcessedCacheStage(parts: parts, image: work.key.image)
        storeInBackground(work.id, work.plan) { [parts] in
            guard let entry = try await parts.encodingWorkers.run({ try stage.encode(image.image) }) else { return }
            try await cache.store(entry, for: stage.key)
        }
    }

    /// Before the result is delivered: a caller that has its image finds it in the cache.
    private func storeInMemory(_ image: StagedImage, _ work: SharedWork) {
        guard let cache = parts.memoryCache, coordinator.targets(of: work).contains(.memory) else { return }
        cache.store(image.image, for: work.key.image, priority: coordinator.cachePriority(of: work))
    }

    /// Stores original bytes, once, where a load behind the work wants them stored.
    func store(_ original: Original, for work: SharedWork) {
        guard let cache = parts.dataCache, coordinator.targets(of: work).contains(.original), original.claimStoring() else {
            return
        }
        let key = work.plan.dataKey
        storeInBackground(original.work, work.plan) { try await cache.store(original.entry, for: key) }
    }

    /// Stores the result of work while its loads continue. Until that has ended, late loads find the result with the work; from
    /// then on they find it in the cache.
    private func storeInBackground(_ id: WorkID, _ plan: LoadPlan, _ body: @escaping @Sendable () async throws -> Void) {
        coordinator.beginStoring(id)
        Task { [self] in
            coordinator.observe(.stageBegan(.store), plan)
            let began = ContinuousClock.now
            await report(.store, plan, body)
            coordinator.observe(.stageEnded(.store, ContinuousClock.now - began), plan)
            coordinator.endStoring(id)
        }
    }

    /// Reports a failure of a cache to the observers. The load continues without the cache.
    private func report(_ stage: LoadStage, _ plan: LoadPlan, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            coordinator.observe(.cacheFailed(.wrapping(error, stage: stage, source: plan.request.description)), plan)
        }
    }
}
