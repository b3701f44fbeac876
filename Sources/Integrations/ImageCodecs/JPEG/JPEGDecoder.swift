public import ImageCore
import ImageDecoding
import ImageKernels
import CCalotypeJPEG

/// JPEG by libjpeg-turbo: baseline and progressive, Huffman and arithmetic coding, grey, RGB, CMYK and YCCK.
///
/// Given a target size, images are scaled while decoding, by 1/2, 1/4 or 1/8 in the DCT; what remains is resampled.
/// CMYK is converted by the embedded profile, and without one by (1 - ink) × (1 - black). A file that needs all its
/// scans at once (progressive) holds its coefficients, 2 bytes each, which count towards `limits.decodedBytes`. A file with
/// one scan may be larger than `limits.pixels` if the target size is within it, since only some rows are held.
public struct JPEGDecoder: Decoding {
    public init() {}

    public var formats: [ImageFormat] { [.jpeg] }

    /// JPEG where the file begins with the marker SOI and the start of another (ITU-T T.81, B.1).
    public func format(of head: Data) -> ImageFormat? { head.starts(with: [0xFF, 0xD8, 0xFF]) ? .jpeg : nil }

    public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        try unsafe data.withUnsafeBytes { bytes in
            let reader = try unsafe JPEGReader(bytes, limits: limits)
            try limits.check(reader.size, bytesPerPixel: 0)
            let metadata = JPEGMetadata(reader.markers(), limits: limits)
            let model: ColorModel =
                switch reader.header.model {
                case CLT_JPEG_GRAY: .gray
                case CLT_JPEG_CMYK: .cmyk
                default: .rgb
                }
            return ImageInfo(
                format: .jpeg, size: reader.size, orientation: metadata.orientation, colorModel: model,
                colorProfile: ColorProfile(embedded: metadata.profile).description, isProgressive: reader.header.is_progressive)
        }
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try Self.withRows(of: data, options: options) { assembler, rows in try assembler.assemble(rows) }
    }

    /// Calls `body` with a decode that is about to deliver rows.
    static func withRows<R>(
        of data: Data, options: DecodeOptions, _ body: (ImageAssembler, any RowProducer) throws -> R
    ) throws -> R {
        try options.checkFrame(of: 1)
        return try unsafe data.withUnsafeBytes { bytes in
            let reader = try unsafe JPEGReader(bytes, limits: options.limits)
            let stored = try start(reader, options: options)
            let coefficients = Int(clamping: reader.header.coefficient_bytes)
            let assembler = try ImageAssembler(stored, options: options, codecBytes: coefficients)
            return try body(assembler, JPEGRows(reader, options: options))
        }
    }

    /// The thumbnail that cameras put into Exif, turned like the image; `nil` where the file has none that decodes.
    ///
    /// - Parameter data: the file, or its beginning up to the image's data.
    public func thumbnail(of data: Data, options: DecodeOptions = DecodeOptions()) throws -> DecodedImage? {
        let metadata = try unsafe data.withUnsafeBytes { bytes in
            JPEGMetadata(try unsafe JPEGReader(bytes, limits: options.limits).markers(), limits: options.limits)
        }
        guard let thumbnail = metadata.thumbnail else { return nil }
        do {
            return try Self.thumbnail(thumbnail, orientation: metadata.orientation, options: options)
        } catch is ImageError {
            return nil
        }
    }

    /// Its own Exif does not count: it lies as the image does.
    static func thumbnail(_ bytes: Data, orientation: Orientation, options: DecodeOptions) throws -> DecodedImage {
        try unsafe bytes.withUnsafeBytes { bytes in
            let reader = try unsafe JPEGReader(bytes, limits: options.limits)
            let stored = try start(reader, options: options, orientation: orientation)
            let coefficients = Int(clamping: reader.header.coefficient_bytes)
            return try ImageAssembler(stored, options: options, codecBytes: coefficients)
                .assemble(JPEGRows(reader, options: options))
        }
    }

    /// Prepares a reader that has read its header, scaled as the options allow.
    static func start(
        _ reader: JPEGReader, options: DecodeOptions, orientation: Orientation? = nil
    ) throws(ImageError) -> StoredImage {
        reader.cancellation = options.cancellation
        let metadata = JPEGMetadata(reader.markers(), limits: options.limits)
        var stored = StoredImage(format: .jpeg, size: reader.size, layout: layout(of: reader.header))
        stored.orientation = options.applied(orientation ?? metadata.orientation)
        stored.profile = ColorProfile(embedded: metadata.profile)
        let wanted = try options.geometry(storedSize: stored.size, orientation: stored.orientation)
        // libjpeg holds a few rows of an image in one scan, and all coefficients of one in several.
        if !reader.header.has_multiple_scans, let wanted { stored.limitLarger(than: wanted.output) }
        let eighths = eighths(for: wanted)
        try options.limits.check(stored.limitedSize, holding: [Int(clamping: reader.header.coefficient_bytes)])
        stored.scale = (Double(eighths) / 8, Double(eighths) / 8)
        stored.decodedSize = try reader.start(eighths: eighths)
        // The height of blocks whose chroma is halved.
        stored.fewestRows = 16
        return stored
    }

    private static func layout(of header: clt_jpeg_header) -> RowLayout {
        switch header.model {
        case CLT_JPEG_GRAY: .gray8
        // Adobe's software writes CMYK inverted, and says so with its marker.
        case CLT_JPEG_CMYK: .cmyk8(inverted: header.has_adobe_marker)
        default: .rgba8
        }
    }

    /// The smallest of 1/8, 1/4, 1/2 and 1 from which half as much again is left to the resampler: the filter of the
    /// DCT is a box, and a result made by it alone would not be that of full decode and resize.
    private static func eighths(for wanted: ResizeGeometry?) -> Int {
        guard let wanted else { return 8 }
        let ratio = min(wanted.width / Double(wanted.output.width), wanted.height / Double(wanted.output.height))
        return [1, 2, 4].first { ratio * Double($0) / 8 >= 1.5 } ?? 8
    }
}

/// The rows of a JPEG; those of several scans are consumed before the first row.
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
