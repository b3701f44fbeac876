internal import ImageCore

/// What is stored in the caches.
extension Pipeline {
    /// Stores the image where the loads behind the work want it: in memory at once, encoded on disk while the loads continue.
    func store(_ image: StagedImage, for work: SharedWork) {
        let (targets, priority) = coordinator.stores(of: work)
        if targets.contains(.memory) { storeInMemory(image, priority, work) }
        // The encoder would store the first frame of an animation as if it were all.
        guard targets.contains(.processed), image.image.animation == nil, let cache = parts.dataCache,
            parts.configuration.encoder != nil
        else { return }
        let stage = ProcessedCacheStage(parts: parts, plan: work.plan, image: work.key.image)
        // An image that must not be stored need not be encoded.
        guard stage.allowsStoring(imageMadeFrom: image.source) else { return }
        storeInBackground(work.id, work.plan) { [parts] in
            guard let entry = try await parts.encodingWorkers.run({ try stage.encode(image.image) }),
                let stored = stage.entry(entry, madeFrom: image.source)
            else { return }
            try await cache.store(stored, for: stage.key)
        }
    }

    /// Before the result is delivered: a caller that has its image finds it in the cache.
    func storeInMemory(_ image: StagedImage, _ priority: CachePriority, _ work: SharedWork) {
        coordinator.storeNow(work.plan) {
            parts.memoryCache.store(image.image, for: work.key.image, priority: priority)
        }
    }

    /// Stores original bytes, once, where a load behind the work wants them stored.
    func store(_ original: Original, for work: SharedWork) {
        guard let cache = parts.dataCache, original.entry.data.count <= parts.configuration.limits.maximumStoredBytes,
            coordinator.stores(of: work).targets.contains(.original), original.claimStoring()
        else { return }
        let key = work.plan.dataKey
        storeInBackground(original.work, work.plan) { try await cache.store(original.entry, for: key) }
    }

    /// Stores the result of work while its loads continue. Until that has ended, late loads find the result with the work; from
    /// then on they find it in the cache.
    func storeInBackground(_ id: WorkID, _ plan: LoadPlan, _ body: @escaping @Sendable () async throws -> Void) {
        guard coordinator.beginStoring(id, plan) else { return }
        Task { [self] in
            let began = ContinuousClock.now
            coordinator.observe(.stageBegan(.store), plan)
            await report(.store, plan, body)
            coordinator.observe(.stageEnded(.store, ContinuousClock.now - began), plan)
            coordinator.endStoring(id, plan)
        }
    }

    /// Reports a failure of a cache to the observers. The load continues without the cache.
    func report(_ stage: LoadStage, _ plan: LoadPlan, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            coordinator.observe(CacheError(cause: error), in: stage, plan)
        }
    }
}
