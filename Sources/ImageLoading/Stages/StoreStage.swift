internal import ImageCore

/// Stores what a job has made where the loads behind it want it.
struct StoreStage: Sendable {
    let coordinator: LoadCoordinator
    let job: Job

    private var plan: LoadPlan { job.plan }
    private var components: Components { coordinator.components }

    /// Stores the image: in memory at once, encoded on disk while the loads continue.
    func store(_ image: StagedImage) {
        let (targets, priority) = coordinator.stores(of: job)
        if targets.contains(.memory) { storeInMemory(image, priority) }
        // The encoder would store the first frame of an animation as if it were all.
        guard targets.contains(.processed), image.image.animation == nil, let cache = components.dataCache,
            components.configuration.encoder != nil
        else { return }
        let stage = ProcessedCacheStage(components: components, plan: plan, image: job.key.image)
        // An image that must not be stored need not be encoded. One that was made from older bytes must not stay.
        guard stage.allowsStoring(imageMadeFrom: image.source) else {
            if image.tier == .network, image.source != nil { remove(stage) }
            return
        }
        inBackground(job.id) { [components] in
            guard let entry = try await components.encodingWorkers.run({ try stage.encode(image.image) }),
                let stored = stage.entry(entry, madeFrom: image.source)
            else { return }
            try await cache.store(stored, for: stage.key)
        }
    }

    /// Before the image is delivered: a caller that has its image finds it in the cache.
    func storeInMemory(_ image: StagedImage, _ priority: CachePriority) {
        coordinator.storeNow(plan) {
            components.memoryCache.store(image.image, for: job.key.image, priority: priority)
        }
    }

    /// Stores the bytes, once, after they have proved to be an image, where a load behind the job wants them stored.
    func store(_ original: Original, isAnimated: Bool = false) {
        let targets = coordinator.stores(of: job).targets
        guard components.hasByteCache, targets.contains(.original) || isAnimated && targets.contains(.animation),
            let commit = original.commit?.take()
        else { return }
        inBackground(original.job, commit)
    }

    /// Stores a finished image that the server has confirmed, or one in the bytes of a format.
    func store(_ entry: DataEntry, _ stage: ProcessedCacheStage) {
        let target: StoreTargets = job.key.kind == .encodedImage ? .encoded : .processed
        guard let cache = components.dataCache, coordinator.stores(of: job).targets.contains(target) else { return }
        inBackground(job.id) { try await cache.store(entry, for: stage.key) }
    }

    /// Removes a finished image.
    func remove(_ stage: ProcessedCacheStage) {
        guard let cache = components.dataCache else { return }
        inBackground(job.id) { try await cache.removeEntry(for: stage.key) }
    }

    /// Stores the output of a job while its loads continue. Until that has ended, late loads find the output with the
    /// job; from then on they find it in the cache.
    private func inBackground(_ id: JobID, _ body: @escaping @Sendable () async throws -> Void) {
        guard coordinator.beginStoring(id, plan) else { return }
        Task { [coordinator, plan] in
            let began = ContinuousClock.now
            coordinator.observe(.stageBegan(.store), plan)
            await coordinator.ignoringCacheErrors(in: .store, plan, body)
            coordinator.observe(.stageEnded(.store, ContinuousClock.now - began), plan)
            coordinator.endStoring(id, plan)
        }
    }
}
