/// How urgent a load is beside others of its kind.
public enum LoadPriority: Int, Hashable, Sendable, Comparable, CaseIterable {
    case veryLow, low, normal, high, veryHigh

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// What a load is for. Decides the queue before priority does.
public enum LoadPurpose: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// Warms a cache for later. Comes last, oldest first.
    case prefetch
    /// Somebody awaits the image. By priority, oldest first.
    case plain
    /// A live view awaits the image. Comes first, newest first; at ``LoadPriority/veryLow``, the priority of a view off
    /// screen, it waits among the plain loads.
    case view

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// How long an image stays in the memory cache when room is short.
public enum CachePriority: Int, Hashable, Sendable, Comparable, CaseIterable {
    case normal
    /// Outlives every normal entry.
    case high

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Which caches a load may read and write.
public struct CachePolicy: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let readsMemory = CachePolicy(rawValue: 1)
    public static let writesMemory = CachePolicy(rawValue: 2)
    public static let readsDisk = CachePolicy(rawValue: 4)
    public static let writesDisk = CachePolicy(rawValue: 8)
    /// Never starts network work: what is not cached fails with ``ImageError/Code/notCached``.
    public static let onlyIfCached = CachePolicy(rawValue: 16)

    /// Both tiers, read and written. The default.
    public static let memoryAndDisk: CachePolicy = [.memoryOnly, .diskOnly]
    public static let memoryOnly: CachePolicy = [.readsMemory, .writesMemory]
    public static let diskOnly: CachePolicy = [.readsDisk, .writesDisk]
    /// Neither tier is read or written.
    public static let noCache: CachePolicy = []
    /// Fetches anew and refreshes both tiers.
    public static let reload: CachePolicy = [.writesMemory, .writesDisk]

    public var readsMemory: Bool { contains(.readsMemory) }
    public var writesMemory: Bool { contains(.writesMemory) }
    public var readsDisk: Bool { contains(.readsDisk) }
    public var writesDisk: Bool { contains(.writesDisk) }
    public var isOnlyIfCached: Bool { contains(.onlyIfCached) }
}

/// What a view shows while its image loads.
public enum Placeholder: Sendable {
    case none
    case image(DecodedImage)
    /// Red, green, blue, alpha, straight, 0 to 1.
    case color(red: Double, green: Double, blue: Double, alpha: Double)
    /// A few bytes that a blurred picture is drawn from, such as a BlurHash or a ThumbHash.
    case hash(PlaceholderHash)
}

/// A picture as a few bytes, and who can draw it. Kept as bytes, since a list holds thousands of them; a target draws it
/// when it is shown.
public struct PlaceholderHash: Sendable {
    /// The hash as its format has it.
    public var bytes: Data
    private let drawing: @Sendable (Data) throws -> DecodedImage

    /// - Parameter draw: makes a small picture, some 32 pixels wide, of the bytes; called where the target lives, so it
    ///   must not take longer than a fraction of a millisecond. What it throws leaves the view without placeholder.
    public init(_ bytes: Data, draw: @escaping @Sendable (Data) throws -> DecodedImage) {
        self.bytes = bytes
        drawing = draw
    }

    /// The picture, to be enlarged smoothly.
    public func draw() throws -> DecodedImage { try drawing(bytes) }
}

/// What becomes of a target's load when its view is off screen.
public enum OffScreenPolicy: String, Hashable, Sendable, CaseIterable {
    /// It goes on, less urgent than what is on screen.
    case lowersPriority
    /// It is cancelled, down to the network, and begins anew when the view comes back.
    case cancels
    /// It goes on as it was.
    case keepsPriority
}

/// How a view goes from one picture to the next.
public enum Transition: Hashable, Sendable {
    case none
    /// Blends over the given time. An adapter leaves it out where the user prefers less motion.
    case fade(Duration)
}
