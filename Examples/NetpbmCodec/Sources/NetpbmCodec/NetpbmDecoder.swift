import ImageCore

/// Decodes Netpbm files: PBM, PGM and PPM as text and in binary, and PAM of grey or RGB with or without alpha, with
/// maxima from 1 to 65,535. Of several images in a file, it decodes the first.
///
/// Colours count as sRGB; Netpbm's own curve, of ITU-R BT.709, is nearly the same. Binary files have previews.
public struct NetpbmDecoder: IncrementalDecoding {
    /// Creates a decoder.
    public init() {}

    public var formats: [ImageFormat] { [.netpbm] }

    public func format(of prefix: Data) -> ImageFormat? { NetpbmHeader.kind(of: prefix) == nil ? nil : .netpbm }

    public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        try data.withUnsafeBytes { try NetpbmHeader($0, limits: limits).info }
    }

    public func info(ofPrefix prefix: Data, limits: DecodingLimits) -> ImageInfo? { try? info(of: prefix, limits: limits) }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try data.withUnsafeBytes { try NetpbmHeader($0, limits: options.limits).image(of: $0, options) }
    }

    public func makeIncrementalDecoder(for prefix: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        guard let kind = NetpbmHeader.kind(of: prefix), kind > 3 else { return nil }
        var options = options
        options.allowsPartial = true
        return NetpbmPreviews(options)
    }
}

/// Makes previews of a binary file. Its rows are not compressed: to decode them all costs no more than a copy of the
/// last preview.
private final class NetpbmPreviews: IncrementalDecoder {
    private let options: DecodeOptions
    private var rowsShown = 0

    init(_ options: DecodeOptions) { self.options = options }

    func preview(of prefix: Data) throws -> DecodedImage? {
        try prefix.withUnsafeBytes { bytes in
            // The header may not have arrived. The decode of the whole file reports one that is damaged.
            guard let header = try? NetpbmHeader(bytes, limits: options.limits) else { return nil }
            guard header.rows(of: bytes) > rowsShown else { return nil }
            rowsShown = header.rows(of: bytes)
            var image = try header.image(of: bytes, options)
            image.isPreview = true
            return image
        }
    }
}
