import ImageCore

/// Keeps decoded images in memory.
public final class __Type__: Caching {
    /// The most bytes that the images may have together.
    public let maximumBytes: Int

    private struct State {
        var images: [ImageKey: DecodedImage] = [:]
    }

    // Each call takes the lock for less than a microsecond.
    private let state = Lock(State())

    /// Creates an empty cache.
    public init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    public func image(for key: ImageKey) -> DecodedImage? { nil }

    public func peekImage(for key: ImageKey) -> DecodedImage? { nil }

    public func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {
        // Remove the old image of the key in any case; then store the new one, and remove others until the sum of
        // `image.cost` is within the limit: those of high priority last.
    }

    public func removeImage(for key: ImageKey) {}

    public func removeImages(of resource: ResourceKey) {
        // All keys for which `key.resource.hasSameSource(as: resource)`.
    }

    public func removeAll() {}
}
