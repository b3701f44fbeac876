/// Which caches a load may read and write.
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
    /// The load must not use the network. It fails with ``ImageError/Code/notCached`` if the image is not cached.
    public static let onlyIfCached = CachePolicy(rawValue: 16)

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
}
