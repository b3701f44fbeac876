internal import ImageCore

/// The options of a load, its layers merged, and the values derived from them: made once for all loads with the same options.
final class MergedOptions: Sendable {
    let options: LoadOptions
    /// What identifies the image after decoding (first) and after each processor; never empty.
    let variants: [String]
    /// The last of them.
    let variant: String
    /// The scale of the decode, where it is to a size and shows the whole image: other decodes of its family differ in the size
    /// alone.
    let scale: DecodeScale?

    /// The options of a load that sets none, in a loader whose configuration sets none.
    static let standard = MergedOptions(LoadOptions())

    /// - Parameter encodes: whether the loader can keep finished images on disk.
    init(_ options: LoadOptions, encodes: Bool = true) {
        var options = options
        if !encodes { options.diskStorage = .originalData }
        if !options.storesToDisk { options.cachePolicy.remove(.writesDisk) }
        self.options = options
        var (variants, last) = ([String](), options.decodeVariant())
        variants.reserveCapacity(options.processors.count + 1)
        variants.append(last)
        for processor in options.processors {
            // With its length, so that no two lists of identifiers read the same.
            let identifier = processor.identifier
            last += "|\(identifier.utf8.count):\(identifier)"
            variants.append(last)
        }
        (self.variants, variant) = (variants, last)
        if let size = options.targetSize, options.contentMode != .fill {
            let family = "\(options.decodeVariant(includesSize: false)),\(options.contentMode.rawValue)"
            scale = DecodeScale(family: family, box: size)
        } else {
            scale = nil
        }
    }
}
