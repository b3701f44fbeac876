/// Which caches a load may read and write, and whether it may ask the server.
///
/// Each bit is obeyed in every combination: a cache that the policy does not read is never used, not even by a load
/// that must not use the network. ``LoadOptions/storesToDisk`` can only take `writesDisk` away.
///
/// ```swift
/// var request = ImageRequest(url: URL(string: "https://example.org/cat.jpg")!)
/// request.options.cachePolicy = .revalidate
/// ```
public struct CachePolicy: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The load may return an image from the memory cache.
    public static let readsMemory = CachePolicy(rawValue: 1)
    /// The load may store its image in the memory cache.
    public static let writesMemory = CachePolicy(rawValue: 2)
    /// The load may use entries of the data cache.
    public static let readsDisk = CachePolicy(rawValue: 4)
    /// The load may store entries in the data cache.
    public static let writesDisk = CachePolicy(rawValue: 8)
    /// The load must not use the network, and accepts entries of any age. It fails with ``ImageError/Code/notCached``
    /// if the image is in none of the caches that the policy reads. Local sources need no network.
    public static let onlyIfCached = CachePolicy(rawValue: 16)
    /// The load asks the server before it uses what `readsDisk` lets it find, however fresh that is, and keeps what the
    /// server confirms. If the server cannot be asked, the load fails. What cannot be confirmed, because it was stored
    /// without an HTTP cache, is fetched again. Has no effect on the memory cache, nor on local sources.
    public static let revalidatesDisk = CachePolicy(rawValue: 32)

    /// Reads and writes both tiers. The default.
    public static let memoryAndDisk: CachePolicy = [.memoryOnly, .diskOnly]
    /// Reads and writes the memory cache.
    public static let memoryOnly: CachePolicy = [.readsMemory, .writesMemory]
    /// Reads and writes the data cache.
    public static let diskOnly: CachePolicy = [.readsDisk, .writesDisk]
    /// Neither reads nor writes a cache.
    public static let noCache: CachePolicy = []
    /// Fetches the image without reading a cache, and stores it in both tiers.
    public static let reload: CachePolicy = [.writesMemory, .writesDisk]
    /// Asks the server whether the stored image is current, fetches the image if it is not, and stores it in both
    /// tiers.
    public static let revalidate: CachePolicy = [.writesMemory, .diskOnly, .revalidatesDisk]
    /// Reads both tiers and never uses the network. Stores in memory what it finds on disk.
    public static let cacheOnly: CachePolicy = [.memoryAndDisk, .onlyIfCached]

    /// Whether the load may return an image from the memory cache.
    public var readsMemory: Bool { contains(.readsMemory) }
    /// Whether the load may store its image in the memory cache.
    public var writesMemory: Bool { contains(.writesMemory) }
    /// Whether the load may use entries of the data cache.
    public var readsDisk: Bool { contains(.readsDisk) }
    /// Whether the load may store entries in the data cache.
    public var writesDisk: Bool { contains(.writesDisk) }
    /// Whether the load must not use the network.
    public var isOnlyIfCached: Bool { contains(.onlyIfCached) }
    /// Whether the load uses nothing that is cached, unless the server confirms it.
    package var asksSource: Bool { !readsMemory && (!readsDisk || revalidatesDisk) && !isOnlyIfCached }
    /// Whether the load asks the server before it uses an entry of the data cache.
    public var revalidatesDisk: Bool { contains(.revalidatesDisk) }
}
