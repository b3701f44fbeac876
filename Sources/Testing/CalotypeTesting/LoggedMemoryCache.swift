public import ImageCore

/// A memory cache without limits that records its calls.
public final class LoggedMemoryCache: Caching {
    /// A call of the cache.
    public enum Call: Hashable, Sendable {
        /// `image(for:)`, and whether it returned an image.
        case read(ImageKey, isHit: Bool)
        /// `store(_:for:priority:)`.
        case store(ImageKey)
        /// `removeImage(for:)`.
        case remove(ImageKey)
        /// `removeImages(of:)`.
        case removeSource(ResourceKey)
        /// `removeAll()`.
        case removeAll
    }

    private let images = Lock<[ImageKey: DecodedImage]>([:])
    private let log = EventLog<Call>()

    /// Creates an empty cache.
    public init() {}

    /// All calls so far, in order. `peekImage(for:)` is not recorded.
    public var calls: [Call] { log.events }
    /// The keys of all stored images.
    public var keys: Set<ImageKey> { images.withLock { Set($0.keys) } }

    public func image(for key: ImageKey) -> DecodedImage? {
        let image = peekImage(for: key)
        log.append(.read(key, isHit: image != nil))
        return image
    }

    public func peekImage(for key: ImageKey) -> DecodedImage? { images.withLock { $0[key] } }

    public func variants(of resource: ResourceKey) -> [CachedVariant] {
        images.withLock { $0.filter { $0.key.resource == resource }.map { CachedVariant(key: $0.key, image: $0.value) } }
    }

    public func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {
        images.withLock { $0[key] = image }
        log.append(.store(key))
    }

    public func removeImage(for key: ImageKey) {
        images.withLock { $0[key] = nil }
        log.append(.remove(key))
    }

    public func removeImages(of resource: ResourceKey) {
        images.withLock { $0 = $0.filter { !$0.key.resource.hasSameSource(as: resource) } }
        log.append(.removeSource(resource))
    }

    public func removeAll() {
        images.withLock { $0 = [:] }
        log.append(.removeAll)
    }
}
