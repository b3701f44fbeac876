internal import ImageCore

extension ImageLoader {
    /// Starts the load of a request for a prefetch; `nil` when there is nothing to do. `onEnd` may be called before
    /// this returns.
    func prefetch(
        _ request: ImageRequest, to destination: ImagePrefetcher.Destination, priority: LoadPriority,
        onEnd: @escaping @Sendable () -> Void
    ) -> ImageTask? {
        let goal: LoadGoal = destination == .disk ? .prefetchToDisk : .image
        guard let plan = try? coordinator.plan(request, goal: goal, priority: priority) else { return nil }
        if destination == .disk {
            guard plan.subscriberOptions.targets.contains(.original), coordinator.components.hasByteCache else { return nil }
        }
        let task = coordinator.start(coordinator.components.lookUpMemory(plan), wantsProgress: false, onEvent: nil)
        task.whenEnded(onEnd)
        return task
    }
}
