internal import ImageCore

/// What identifies shared work: two loads that need equal keys share one node.
struct WorkKey: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        /// The bytes, from the data cache or the source.
        case original
        /// The bytes, from the source even when they are cached.
        case uncached
        /// The bytes, from the data cache or not at all.
        case cachedOnly
        /// Pixels, after decoding and a prefix of the processors.
        case image
        /// The first bytes, as many as the header needs, or all of them.
        case headerBytes
        /// The finished image, from the data cache where it is there.
        case processedImage
        /// What the header says, read from as few bytes as possible.
        case imageInfo
        /// What the header of the whole file says; a decoder knows the format.
        case validatedHeader
    }

    let kind: Kind
    let image: ImageKey

    /// The hash of the image's key is seeded already.
    func _rawHashValue(seed: Int) -> Int {
        fibonacciHash(UInt64(truncatingIfNeeded: image.hash) &+ UInt64(kind.rawValue), seed: seed)
    }
}
