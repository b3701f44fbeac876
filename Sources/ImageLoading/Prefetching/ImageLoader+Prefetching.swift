internal import ImageCore

extension ImageLoader {
    /// Starts the load of a prefetch; `nil` when there is nothing to do. The last event is `finished`.
    func prefetch(
        _ request: ImageRequest, to destination: ImagePrefetcher.Destination,
        onEvent: @escaping @Sendable (LoadEvent) -> Void
    ) -> ImageTask? {
        guard let plan = try? coordinator.plan(request, goal: destination == .disk ? .storedBytes : .image) else { return nil }
        let isWorthIt =
            switch destination {
            case .memory: true
            case .disk: plan.terms.writesDisk && coordinator.pipeline.hasByteCache
            }
        guard isWorthIt else { return nil }
        return coordinator.start(plan, asksMemory: destination == .memory, wantsProgress: false, onEvent: onEvent)
    }
}

extension DecodedImage {
    /// One clear pixel, for a load that asks for no picture.
    static let none: DecodedImage? =
        (try? unsafe Bitmap(size: PixelSize(width: 1, height: 1), format: .gray8, alpha: .opaque) { _, _ in })
        .map { DecodedImage($0) }
}
