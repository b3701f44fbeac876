/// A memory cache of decoded images.
///
/// The engine calls it synchronously, on any thread, whenever a load begins. A lookup must take less than a
/// microsecond, do no I/O, and not wait for other work.
///
/// **Cancelling**: does not apply. **Errors**: none; an image that cannot be stored is dropped.
///
/// **Memory pressure**: `MemoryPressureObserver` in `ImageCaching` reports when to free memory.
///
/// **Must not**: call back into a loader, or keep an entry past its limits.
///
/// ```swift
/// final class LastOnly: Caching {
///     private let last = Lock<(key: ImageKey, image: DecodedImage)?>(nil)
///     func image(for key: ImageKey) -> DecodedImage? { last.withLock { $0?.key == key ? $0?.image : nil } }
///     func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {
///         last.withLock { $0 = (key, image) }
///     }
///     func removeImage(for key: ImageKey) { last.withLock { if $0?.key == key { $0 = nil } } }
///     func removeAll() { last.withLock { $0 = nil } }
/// }
/// ```
public protocol Caching: Sendable {
    /// Returns the image of a key; `nil` for a miss. Counts as a use of the image.
    func image(for key: ImageKey) -> DecodedImage?
    /// Returns the image of a key without counting it as a use. The engine looks up images to start processing from,
    /// and looks up again when a load has waited in a queue. Calls ``image(for:)`` by default.
    func peekImage(for key: ImageKey) -> DecodedImage?
    /// Returns all cached images of a resource, in any size and with any processors, without counting them as used.
    /// None by default.
    func variants(of resource: ResourceKey) -> [CachedVariant]
    /// Stores an image and replaces the previous one of the key. The cache may decline it.
    func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority)
    /// Removes the image of a key.
    func removeImage(for key: ImageKey)
    /// Removes all images with the source of a resource (``ResourceKey/hasSameSource(as:)``), in any size and with any
    /// processors. Calls ``removeAll()`` by default, which keeps the promise in a cache that cannot list its keys.
    func removeImages(of resource: ResourceKey)
    /// Removes all images.
    func removeAll()
    /// The statistics of each cache that this one consists of; none by default. Not used during loads.
    var cacheStatistics: [CacheStatistics] { get }
}

extension Caching {
    public var cacheStatistics: [CacheStatistics] { [] }

    public func peekImage(for key: ImageKey) -> DecodedImage? { image(for: key) }

    public func variants(of resource: ResourceKey) -> [CachedVariant] { [] }

    public func removeImages(of resource: ResourceKey) { removeAll() }
}
