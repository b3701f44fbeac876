public import ImageCore
internal import ImageDecoding
internal import ImageKernels
internal import CCalotypeJPEG

/// Decodes JPEG with libjpeg-turbo: baseline and progressive, Huffman and arithmetic coding, grayscale, RGB, CMYK and
/// YCCK.
///
/// For a target size the DCT scales the image by 1/2, 1/4 or 1/8, and a resampler does the rest. CMYK is converted with
/// the embedded profile, or without one as (1 - ink) × (1 - black). A file with several scans, such as a progressive
/// one, needs memory for its coefficients, 2 bytes each, which count towards `limits.imageBytes`. A file with one scan
/// may exceed `limits.pixels` if the target size does not, since the decoder holds only some rows.
public struct JPEGDecoder: Decoding {
    /// Creates a decoder.
    public init() {}

    public var formats: [ImageFormat] { [.jpeg] }

    /// Returns JPEG if the file begins with the marker SOI and the start of another marker (ITU-T T.81, B.1).
    public func format(of prefix: Data) -> ImageFormat? { prefix.starts(with: [0xFF, 0xD8, 0xFF]) ? .jpeg : nil }

    public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        try unsafe data.withUnsafeBytes { try Self.info(from: unsafe JPEGReader($0, limits: limits), limits: limits) }
    }

    /// Everything that describes a JPEG comes before the first scan (ITU-T T.81, B.2).
    public func info(ofPrefix prefix: Data, limits: DecodingLimits) throws -> ImageInfo? {
        try unsafe prefix.withUnsafeBytes { bytes in
            let reader = try JPEGReader(limits: limits)
            unsafe reader.supply(bytes, isLast: false)
            return try reader.readHeader() ? Self.info(from: reader, limits: limits) : nil
        }
    }

    private static func info(from reader: JPEGReader, limits: DecodingLimits) throws -> ImageInfo {
        try limits.check(reader.size, bytesPerPixel: 0)
        let metadata = JPEGMetadata(reader.markers(), limits: limits)
        let model: ColorModel =
            switch reader.header.components {
            case 1: .gray
            case 4: .cmyk
            default: .rgb
            }
        return ImageInfo(
            format: .jpeg, size: reader.size, orientation: metadata.orientation, colorModel: model,
            colorProfile: ColorProfile(embedded: metadata.profile).description, isProgressive: reader.header.is_progressive)
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try options.checkFrame(of: 1)
        return try Self.decode(data, options: options, orientation: nil)
    }

    /// - Parameter orientation: the orientation of the image; `nil` for that of its Exif.
    static func decode(_ data: Data, options: DecodeOptions, orientation: Orientation?) throws -> DecodedImage {
        try unsafe data.withUnsafeBytes { bytes in
            let reader = try unsafe JPEGReader(bytes, limits: options.limits)
            let stored = try start(reader, options: options, orientation: orientation)
            let coefficients = Int(clamping: reader.header.coefficient_bytes)
            return try ImageAssembler(stored, options: options, codecBytes: coefficients)
                .assemble(JPEGRows(reader, options: options))
        }
    }

    /// Prepares a reader after its header, with the scale that the options allow.
    static func start(
        _ reader: JPEGReader, options: DecodeOptions, orientation: Orientation? = nil
    ) throws(ImageError) -> StoredImage {
        let metadata = JPEGMetadata(reader.markers(), limits: options.limits)
        var stored = StoredImage(format: .jpeg, size: reader.size, layout: layout(of: reader.header))
        stored.orientation = options.applied(orientation ?? metadata.orientation)
        stored.profile = ColorProfile(embedded: metadata.profile)
        let geometry = try options.geometry(storedSize: stored.size, orientation: stored.orientation)
        // libjpeg holds a few rows of an image with one scan, and all coefficients of an image with several.
        if !reader.header.has_multiple_scans, let geometry { stored.limitLarger(than: geometry.output) }
        let eighths = eighths(for: geometry, reader)
        try options.limits.check(stored.limitedSize, holding: [Int(clamping: reader.header.coefficient_bytes)])
        stored.scale = (Double(eighths) / 8, Double(eighths) / 8)
        stored.decodedSize = try reader.start(eighths: eighths)
        // The height of the blocks with half the chroma resolution.
        stored.fewestRows = 16
        return stored
    }

    private static func layout(of header: clt_jpeg_header) -> RowLayout {
        switch header.components {
        case 1: .pixels(.gray8)
        case 4: .cmyk8
        default: .pixels(.rgba8)
        }
    }

    /// Returns the smallest of 1/8, 1/4, 1/2 and 1 that leaves at least a factor of 1.5 to the resampler, also for
    /// chroma that is stored with fewer samples. The DCT's filter is a box, so scaling with it alone would differ
    /// visibly from a full decode and a resize.
    private static func eighths(for geometry: ResizeGeometry?, _ reader: JPEGReader) -> Int {
        guard let geometry else { return 8 }
        let ratio = min(geometry.width / Double(geometry.output.width), geometry.height / Double(geometry.output.height))
        return [1, 2, 4].first { ratio * Double($0) / 8 * reader.detail(eighths: $0) >= 1.5 } ?? 8
    }
}

/// Delivers the rows of a JPEG. It reads all scans before the first row.
private final class JPEGRows: RowProducer {
    private let reader: JPEGReader
    private let options: DecodeOptions
    private var hasStarted = false

    init(_ reader: JPEGReader, options: DecodeOptions) {
        self.reader = reader
        self.options = options
    }

    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) throws -> RowsRead {
        if !hasStarted, reader.header.has_multiple_scans {
            _ = try reader.consumeScans(limits: options.limits, cancellation: options.cancellation)
            try reader.startOutput(scan: reader.lastScan)
        }
        hasStarted = true
        return unsafe reader.readRows(into: target, stride: stride, count: count)
    }

    func finish() -> ImageError? { reader.damage }
}
