import ImageCaching
import ImageCore

/// A memory cache that keeps what is used repeatedly. It evicts in the order of S3-FIFO: images that are seen once, as
/// when a user scrolls through a long list, evict none that were seen several times.
///
/// ```swift
/// let cache = FrequencyCache(maximumBytes: 200_000_000)
/// ```
public final class FrequencyCache: Caching {
    /// The bytes that an image counts in addition to its pixels and the text of its key.
    public static let entryOverhead = 512

    /// The limit for all images, in bytes. It holds after every store.
    public let maximumBytes: Int

    private let images = Lock(CachedImages())
    private let pressure = Lock<MemoryPressureObserver?>(nil)

    /// Creates an empty cache, which frees memory when the system reports memory pressure.
    ///
    /// - Parameter maximumBytes: the limit for all images, in bytes; by default that of the built-in cache.
    public init(maximumBytes: Int = MemoryCache.Limits.defaultBytes(available: MemoryCache.availableMemory)) {
        self.maximumBytes = max(0, maximumBytes)
        let observer = MemoryPressureObserver { [weak self] in self?.respond(to: $0) }
        pressure.withLock { $0 = observer }
    }

    public var cacheStatistics: [CacheStatistics] { [images.withLock { $0.statistics }] }

    public func image(for key: ImageKey) -> DecodedImage? { images.withLock { $0.use(key) } }

    public func peekImage(for key: ImageKey) -> DecodedImage? { images.withLock { $0[key] } }

    public func variants(of resource: ResourceKey) -> [CachedVariant] { images.withLock { $0.variants(of: resource) } }

    public func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {
        let cost = image.cost + key.resource.text.utf8.count + Self.entryOverhead
        _ = images.withLock { $0.store(image, for: key, priority, cost: cost, limit: maximumBytes) }
    }

    public func removeImage(for key: ImageKey) { _ = images.withLock { $0.remove([key], counting: \.removed) } }

    public func removeImages(of resource: ResourceKey) {
        // Outside of the lock, since to compare the sources of all images takes long.
        let found = images.withLock { $0.resources }.filter { $0.hasSameSource(as: resource) }
        for key in found.flatMap({ variants(of: $0).map(\.key) }) { removeImage(for: key) }
    }

    public func removeAll() { _ = images.withLock { $0.evict(toBytes: 0, counting: \.removed) } }

    /// Keeps half of the bytes at a warning, a quarter in the background, and nothing when memory is about to run out,
    /// as the built-in cache does.
    private func respond(to pressure: MemoryPressure) {
        let share = [MemoryPressure.warning: 0.5, .background: 0.25][pressure, default: 0]
        _ = images.withLock { $0.evict(toBytes: Int(Double($0.statistics.byteCount) * share), counting: \.trimmed) }
    }
}
