internal import ImageCore

/// What is read from the caches finished, and what is stored in them.
extension Pipeline {
    /// The finished image in the data cache. A damaged entry is removed, and a miss.
    ///
    /// - Parameter otherwise: what follows a miss.
    func processedImage(_ work: SharedWork, otherwise: @escaping @Sendable () -> Next) -> Next {
        let (plan, stage) = (work.plan, ProcessedCacheStage(parts: parts, image: work.key.image))
        return .task(.processedCache, on: .diskCache) { [parts] in
            do {
                guard let entry = try await parts.dataCache?.entry(for: stage.key) else { return { _ in otherwise() } }
                return { times in
                    coordinator.observe(.cacheLookup(.disk, isHit: true), plan)
                    return decodedEntry(entry, stage, times, work, otherwise: otherwise)
                }
            } catch {
                coordinator.observe(CacheError(cause: error), in: .processedCache, plan)
                return { _ in otherwise() }
            }
        }
    }

    private func decodedEntry(
        _ entry: DataEntry, _ stage: ProcessedCacheStage, _ lookup: StageTimes, _ work: SharedWork,
        otherwise: @escaping @Sendable () -> Next
    ) -> Next {
        .worker(.decode) { [parts] in
            parts.decodingBytes(of: entry.data, parts.configuration.limits.decoding)
        } _: {
            do {
                let image = try stage.decode(entry, work.token)
                return { times in
                    var metrics = LoadMetrics()
                    metrics.byteCount = entry.data.count
                    metrics.processedCache = lookup.working
                    (metrics.decode, metrics.waiting) = (times.working, times.waiting)
                    let staged = StagedImage(image, tier: .disk, metrics: metrics)
                    storeInMemory(staged, work)
                    return .finished(.image(staged))
                }
            } catch {
                guard !work.token.isCancelled, !(error is CancellationError) else { throw error }
                return { _ in
                    // Before the load continues, which may store a new entry.
                    .task(nil, on: .diskCache) { [parts] in
                        await report(.processedCache, work.plan) { try await parts.dataCache?.removeEntry(for: stage.key) }
                        return { _ in otherwise() }
                    }
                }
            }
        }
    }

    /// The end of work that makes an image: it is stored where its loads want it, in memory at once, encoded on disk while the load
    /// continues. A partial image goes to the loads that allow one, but into no cache, where it would count as whole.
    func finished(_ image: StagedImage, _ work: SharedWork) -> Next {
        if !image.image.isPartial { store(image, work) }
        return .finished(.image(image))
    }

    private func store(_ image: StagedImage, _ work: SharedWork) {
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
        coordinator.storeNow(work.plan) {
            cache.store(image.image, for: work.key.image, priority: coordinator.cachePriority(of: work))
        }
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
        guard coordinator.beginStoring(id, plan) else { return }
        Task { [self] in
            coordinator.observe(.stageBegan(.store), plan)
            let began = ContinuousClock.now
            await report(.store, plan, body)
            coordinator.observe(.stageEnded(.store, ContinuousClock.now - began), plan)
            coordinator.endStoring(id, plan)
        }
    }

    /// Reports a failure of a cache to the observers. The load continues without the cache.
    private func report(_ stage: LoadStage, _ plan: LoadPlan, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            coordinator.observe(CacheError(cause: error), in: stage, plan)
        }
    }
}
