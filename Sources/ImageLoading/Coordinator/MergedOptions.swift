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

    /// How many of the processors another image of the resource has had, if it may be shown until this one is made: if it was decoded
    /// alike to the full size or to a larger one, and has had the first of the processors and no others.
    func standInProcessors(_ other: String, size: PixelSize) -> Int? {
        guard other != variant else { return nil }
        var unscaled = options
        unscaled.targetSize = nil
        let fullSize = MergedOptions.decodeVariant(unscaled)
        for count in stride(from: options.processors.count, through: 0, by: -1) {
            let processors = variants[count].dropFirst(variants[0].count)
            guard other.hasSuffix(processors) else { continue }
            let decode = other.dropLast(processors.count)
            if decode == fullSize { return count }
            guard let box = options.targetSize, covers(box, size) else { continue }
            // The decode to another box with the same mode: "640x480,fit" before the rest.
            let rest = ",\(options.contentMode.rawValue)" + (fullSize.isEmpty ? "" : ",\(fullSize)")
            guard decode.hasSuffix(rest) else { continue }
            let isSize = decode.dropLast(rest.count).utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "x") }
            if isSize { return count }
        }
        return nil
    }

    /// Whether an image is at least as large as one that is scaled to a box.
    private func covers(_ box: PixelSize, _ size: PixelSize) -> Bool {
        let (isWide, isHigh) = (size.width >= box.width, size.height >= box.height)
        return options.contentMode == .fit ? isWide || isHigh : isWide && isHigh
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
