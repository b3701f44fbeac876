internal import ImageCore

extension ImageLoader {
    /// Starts the load of a request for a prefetch; `nil` when it has ended without one. `onEnd` may be called before
    /// this returns, with `nil` for a load that was cancelled.
    func prefetch(
        _ request: ImageRequest, to destination: ImagePrefetcher.Destination, priority: LoadPriority,
        onEnd: @escaping @Sendable (ImagePrefetcher.End?) -> Void
    ) -> ImageTask? {
        let goal: LoadGoal = destination == .disk ? .prefetchToDisk : .image
        var plan: LoadPlan
        do {
            plan = try coordinator.plan(request, goal: goal, priority: priority)
            if plan.goal == .prefetchToDisk, coordinator.runsInterceptors(plan) {
                // They get images.
                var request = request
                request.options.modify(\.cachePolicy) { $0.remove(.writesMemory) }
                plan = try coordinator.plan(request, priority: priority)
            }
        } catch {
            onEnd(.failed(error))
            return nil
        }
        if destination == .disk,
            !plan.subscriberOptions.targets.contains(.original) || !coordinator.components.hasByteCache
        {
            onEnd(.skipped)
            return nil
        }
        let task = coordinator.start(coordinator.components.lookUpMemory(plan), wantsProgress: false, onEvent: nil)
        task.whenEnded {
            switch task.outcome {
            case .success(let output): onEnd(output.tier == destination.tier ? .skipped : .loaded)
            case .failure(.cancelled): onEnd(nil)
            case .failure(let failure): onEnd(.failed(failure))
            }
        }
        return task
    }
}

extension ImagePrefetcher.Destination {
    /// The tier of what need not be prefetched.
    fileprivate var tier: CacheTier { self == .memory ? .memory : .disk }
}
