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

    func observeEnd(_ result: Result<ImageResponse, LoadFailure>, _ plan: LoadPlan) {
        if case .success = result {
            observe(.stageBegan(.deliver), plan)
            observe(.stageEnded(.deliver, .zero), plan)
        }
        observe(.finished(result), plan)
    }

    func observeMemoryCache(isHit: Bool, _ plan: LoadPlan) {
        observe(.stageBegan(.memoryCache), plan)
        observe(.cacheLookup(.memory, isHit: isHit), plan)
        observe(.stageEnded(.memoryCache, .zero), plan)
    }

    /// A data cache failed; the load continues without it.
    func observe(_ error: CacheError, in stage: LoadStage, _ plan: LoadPlan) {
        guard !(error.cause is CancellationError) else { return }
        observe(.cacheFailed(.wrapping(error.cause, stage: stage, source: plan.request.description)), plan)
    }
}
