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

extension DecodedImage {
    /// One clear pixel: the placeholder image of a load of bytes, which is never read.
    static let none: DecodedImage? =
        (try? unsafe Bitmap(size: PixelSize(width: 1, height: 1), format: .gray8, alpha: .opaque) { _, _ in })
        .map { DecodedImage($0) }
}
