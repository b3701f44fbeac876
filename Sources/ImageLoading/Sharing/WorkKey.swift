internal import ImageCore

/// What identifies shared work: two loads that need equal keys share one node.
struct WorkKey: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        /// The bytes.
        case original
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
        /// Nothing: it brings an entry of the data cache up to date, in the background. The image is the key of the entry.
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

    /// The hash of the image's key is seeded already.
    func _rawHashValue(seed: Int) -> Int {
        fibonacciHash(UInt64(truncatingIfNeeded: image.hash) &+ UInt64(kind.rawValue) &+ UInt64(origin.rawValue) << 8, seed: seed)
    }
}
