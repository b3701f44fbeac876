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
        /// The finished image as the data cache has it, encoded.
        case processedBytes
        /// The finished image, decoded from ``processedBytes``.
        case processedImage
        /// What the header says, read from as few bytes as possible.
        case imageInfo
        /// What the header of the whole file says; a decoder knows the format.
        case validatedHeader
    }

    let kind: Kind
    let image: ImageKey

    /// Whether the result is the original's bytes, which the data cache may keep.
    var isOriginal: Bool {
        switch kind {
        case .original, .uncached, .cachedOnly, .headerBytes: true
        case .processedBytes, .processedImage, .image, .validatedHeader, .imageInfo: false
        }
    }
}
