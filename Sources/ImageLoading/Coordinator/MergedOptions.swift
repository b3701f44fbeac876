internal import ImageCore

/// The options of a load, its layers merged, and the values derived from them: made once for all loads with the same options.
final class MergedOptions: Sendable {
    let options: LoadOptions
    /// What identifies the image after decoding (first) and after each processor; never empty.
    let variants: [String]
    /// The last of them.
    let variant: String
    /// The scale of the decode, where it is to a size and shows the whole image: other decodes of its family differ in the size alone.
    let scale: DecodeScale?

    /// The options of a load that sets none, in a loader whose configuration sets none.
    static let standard = MergedOptions(LoadOptions())

    /// - Parameter encodes: whether the loader can keep finished images on disk.
    init(_ options: LoadOptions, encodes: Bool = true) {
        var options = options
        if !encodes { options.diskStorage = .originalData }
        self.options = options
        var (variants, last) = ([String](), MergedOptions.decodeVariant(options))
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
            var unscaled = options
            unscaled.targetSize = nil
            let family = "\(MergedOptions.decodeVariant(unscaled)),\(options.contentMode.rawValue)"
            scale = DecodeScale(family: family, box: size)
        } else {
            scale = nil
        }
    }

    /// Every option that changes the decoded image or whether there is one, as text; empty for the defaults.
    private static func decodeVariant(_ options: LoadOptions) -> String {
        var parts: [String] = []
        if let size = options.targetSize { parts.append("\(size),\(options.contentMode.rawValue)") }
        if !options.appliesOrientation { parts.append("as-stored") }
        if options.allowsPartial { parts.append("partial") }
        if let pixels = options.maximumPixels { parts.append("at-most-\(pixels)") }
        return parts.joined(separator: ",")
    }
}
