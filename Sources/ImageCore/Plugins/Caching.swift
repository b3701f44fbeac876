/// A memory cache of decoded images.
///
/// Called synchronously from any thread, for every load, on the caller's way in: a hit must cost well below a
/// microsecond, take no I/O, and never wait for other work.
///
/// **Cancelling**: does not apply. **Errors**: there are none; what cannot be kept is not kept.
///
/// **Must not**: call back into a loader, or keep an entry past its limits.
///
/// ```swift
/// final class LastOnly: Caching {
///     private let last = Lock<(key: ImageKey, image: DecodedImage)?>(nil)
///     func image(for key: ImageKey) -> DecodedImage? { last.withLock { $0?.key == key ? $0?.image : nil } }
///     func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) { last.withLock { $0 = (key, image) } }
///     func removeImage(for key: ImageKey) { last.withLock { if $0?.key == key { $0 = nil } } }
///     func removeAll() { last.withLock { $0 = nil } }
/// }
/// ```
public protocol Caching: Sendable {
    /// The cached image, counted as a use: a hit or a miss.
    func image(for key: ImageKey) -> DecodedImage?
    /// The cached image, not counted as a use. The engine looks up in this way what processing may start from, and once more
    /// when a load that missed has been queued. By default the same as ``image(for:)``.
    func peekImage(for key: ImageKey) -> DecodedImage?
    /// The cached images of a resource, whatever was done to them; not counted as uses. None by default.
    func variants(of resource: ResourceKey) -> [CachedVariant]
    /// Keeps an image, replacing what the key had. May decline.
    func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority)
    func removeImage(for key: ImageKey)
    func removeAll()
    /// What each cache behind this one holds and did; nothing by default. Taken on demand, never on a load's way.
    var cacheStatistics: [CacheStatistics] { get }
}

extension Caching {
    public var cacheStatistics: [CacheStatistics] { [] }

    public func peekImage(for key: ImageKey) -> DecodedImage? { image(for: key) }

    public func variants(of resource: ResourceKey) -> [CachedVariant] { [] }

    /// A cached image of the same resource to show while the exact one is made: the smallest that covers `size`.
    ///
    /// - Parameters:
    ///   - key: the image that is wanted; never returned itself.
    ///   - size: the least width and height, in pixels.
    ///   - accepts: whether an image with this list of options and processors may be shown; by default any.
    /// - Returns: `nil` if there is none.
    public func placeholderVariant(
        for key: ImageKey, covering size: PixelSize, where accepts: (_ variant: String) -> Bool = { _ in true }
    ) -> CachedVariant? {
        variants(of: key.resource).filter { found in
            found.key != key && found.image.size.width >= size.width && found.image.size.height >= size.height
                && accepts(found.key.variant)
        }.min { $0.image.cost < $1.image.cost }
    }
}

/// A cached image and its key.
public struct CachedVariant: Sendable {
    public var key: ImageKey
    public var image: DecodedImage

    public init(key: ImageKey, image: DecodedImage) {
        self.key = key
        self.image = image
    }
}
