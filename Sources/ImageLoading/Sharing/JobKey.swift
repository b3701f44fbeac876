internal import ImageCore

/// What identifies a job: two loads that need equal keys share it.
struct JobKey: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        /// The bytes.
        case original
        /// Pixels, after decoding and a prefix of the processors.
        case image
        /// The first bytes, as many as the header needs, or all of them.
        case headerBytes
        /// The finished image, from the data cache where it is there.
        case processedImage
        /// The finished image in the bytes of a format, from the data cache where they are there.
        case encodedImage
        /// What the header says, read from as few bytes as possible.
        case imageInfo
        /// What the header of the whole file says; a decoder knows the format.
        case validatedHeader
        /// Nothing: it brings an entry of the data cache up to date, in the background. The image is the key of the
        /// entry.
        case revalidation
    }

    /// Where the bytes may come from, as the cache policy says. Loads share work only if they agree on that.
    enum Origin: UInt8, Sendable {
        /// The data cache, or else the source.
        case cacheOrSource
        /// The data cache if the server confirms its entry, or else the source.
        case confirmedCacheOrSource
        /// The source, even when the bytes are cached.
        case source
        /// The data cache, or not at all.
        case cache
        /// Nowhere: the load may use neither the network nor the data cache.
        case none
    }

    let kind: Kind
    var origin = Origin.cacheOrSource
    let image: ImageKey
    var terms = FetchTerms()

    /// Jobs for the same image hardly ever differ in more than their kind.
    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(image)
    }
}

/// The options of a load that hold for each attempt of its fetch, and say what may stand for one. A fetch cannot have
/// two values of them, so loads that differ in one fetch separately.
struct FetchTerms: Hashable, Sendable {
    var timeout: Duration?
    var retries: Int?
    var diskLifetime: Duration?
    /// The load's own interceptors (``addInterceptors(of:for:)``).
    private var interceptors: [UInt] = []

    /// The terms of loads whose options are like those that most loads have.
    init() {}

    init(_ options: LoadOptions) { (timeout, retries, diskLifetime) = (options.timeout, options.retries, options.diskLifetime) }

    /// Tells the load's own interceptors apart: those that declare an identity, which is part of the resource, by their
    /// types, and other objects by themselves. Other values cannot be compared: they count as the same while they are
    /// in the same list, such as that of a layer of the loader, whose memory does not move as long as a load has it.
    mutating func addInterceptors(of options: LoadOptions, for url: URL) {
        guard !options.interceptors.isEmpty else { return }
        let list = unsafe options.interceptors.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        interceptors = options.interceptors.map { interceptor in
            let type = type(of: interceptor)
            if interceptor.identity(for: url) != nil { return UInt(bitPattern: ObjectIdentifier(type)) }
            return type is AnyClass ? UInt(bitPattern: ObjectIdentifier(interceptor as AnyObject)) : list
        }
    }
}

/// A number that a loader counts up, as the name of something; later ones compare as greater.
protocol CountedID: Hashable, Comparable, Sendable {
    var rawValue: UInt64 { get }
}

extension CountedID {
    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Names a job.
struct JobID: CountedID {
    let rawValue: UInt64
}

/// Names a subscription to a job.
struct SubscriptionID: CountedID {
    let rawValue: UInt64
}

/// The size of a decode. Decodes of one family differ in nothing but the size, so a small one may be made from a larger
/// one.
struct DecodeScale: Hashable, Sendable {
    let family: String
    let box: PixelSize

    /// Whether `larger` has enough pixels to make this size from it: two for one in each direction.
    func canBeMade(from larger: DecodeScale) -> Bool {
        family == larger.family && 2 * box.width <= larger.box.width && 2 * box.height <= larger.box.height
    }

    func isSmaller(than other: DecodeScale) -> Bool { box.pixelCount ?? .max < other.box.pixelCount ?? .max }
}
