internal import ImageCore

/// The observations of a load beside those of its stages.
extension LoadCoordinator {
    /// Reports to the observers; without observers the observation is not made.
    func observe(_ observation: @autoclosure () -> LoadObservation, _ plan: LoadPlan) {
        guard !observers.isEmpty else { return }
        let observation = observation()
        for observer in observers { observer.observe(observation, of: plan.id, request: plan.request) }
    }

    func observeStart(_ plan: LoadPlan) {
        observe(.started, plan)
        observe(.stageBegan(.request), plan)
        observe(.stageEnded(.request, plan.planning), plan)
    }

    func observe(_ lookup: MemoryLookup) {
        guard lookup.plan.readsMemory, components.configuration.memoryCache != nil else { return }
        observe(.stageBegan(.memoryCache), lookup.plan)
        observe(.cacheLookup(.memory, isHit: lookup.hit != nil), lookup.plan)
        observe(.stageEnded(.memoryCache, lookup.time), lookup.plan)
    }

    /// - Parameter deliveryBegan: when the result was at hand; `nil` for an image from the memory cache, which is
    ///   delivered at once.
    func observeEnd(
        _ result: Result<LoadSummary, LoadFailure>, _ plan: LoadPlan, deliveryBegan: ContinuousClock.Instant? = nil
    ) {
        if case .success = result {
            observe(.stageBegan(.deliver), plan)
            observe(.stageEnded(.deliver, deliveryBegan.map { ContinuousClock.now - $0 } ?? .zero), plan)
        }
        observe(.finished(result), plan)
    }

    /// Returns what a cache does or finds; `nil` if it fails, which is reported to the observers. The load continues
    /// without it.
    @discardableResult
    func ignoringCacheErrors<Output: Sendable>(
        in stage: LoadStage, _ plan: LoadPlan, _ body: () async throws -> Output
    ) async -> Output? {
        do {
            return try await body()
        } catch {
            if !Task.isCancelled {
                observe(.cacheFailed(.wrapping(error, stage: stage, source: plan.request.description)), plan)
            }
            return nil
        }
    }
}
