public import ImageCore
import ImageDecoding
import ImageKernels
import CCalotypeAVIF

/// Decodes AVIF with libavif: 8, 10 and 12 bits, every chroma format, monochrome, alpha, grids, and single frames of sequences.
///
/// The container gives the orientation (`irot`, `imir`) and the visible part of the image (`clap`); Exif inside AVIF does not
/// count, as the format requires. The decoder is not strict: it accepts files without `pixi`, and ignores an invalid `clap`. HDR
/// images (PQ, HLG) are tone-mapped to sRGB unless the options keep colours.
///
/// libavif cannot interrupt the decode of a frame. When the decode of a large image is cancelled, the call returns within
/// milliseconds, and libavif finishes in the background before its memory is freed. At most two such decodes run at a time, and
/// together they hold at most `limits.decodedBytes`; a further one waits. Small images and the frames of sequences are decoded to
/// the end.
public struct AVIFDecoder: AnimationDecoding {
    /// Creates a decoder.
    public init() {}

    public var formats: [ImageFormat] { [.avif] }

    /// Returns AVIF if the file begins with an `ftyp` box that names the brand `avif` or `avis` (AV1 Image File Format, 6).
    public func format(of head: Data) -> ImageFormat? {
        let reader = ByteReader(head)
        guard reader.matches("ftyp", at: 4), let size = reader.uint32(at: 0, bigEndian: true) else { return nil }
        let brands = [8] + Array(stride(from: 16, to: min(size, reader.count), by: 4))
        return brands.contains { reader.matches("avif", at: $0) || reader.matches("avis", at: $0) } ? .avif : nil
    }

    public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        try unsafe data.withUnsafeBytes { bytes in
            let reader = try unsafe AVIFReader(bytes, limits: limits)
            let header = reader.header
            var info = ImageInfo(
                format: .avif, size: reader.size, frameCount: max(1, Int(header.frames)), orientation: reader.orientation,
                hasAlpha: header.has_alpha, bitDepth: Int(header.depth), colorModel: header.is_gray ? .gray : .rgb,
                colorProfile: ColorProfile(embedded: reader.profile).description, isProgressive: header.is_layered)
            info.croppedSize = reader.aperture?.size
            return info
        }
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        // The size matters only for a decode that can be cancelled.
        let planes = try options.cancellation.map { _ in
            try unsafe data.withUnsafeBytes { try unsafe AVIFReader($0, limits: options.limits).planeBytes }
        }
        return try UncancellableDecode.run(data, holding: planes ?? 0, options: options) { data in
            try unsafe data.withUnsafeBytes { bytes in
                try Self.decode(unsafe AVIFReader(bytes, limits: options.limits), options: options)
            }
        }
    }

    public func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation {
        try AVIFSequence(data, options: options)
    }

    /// Decodes the frame that the options select.
    static func decode(_ reader: AVIFReader, options: DecodeOptions) throws -> DecodedImage {
        try withRows(of: reader, options: options, inPieces: false) { try $0.assemble($1) }
    }

    /// Decodes the frame that the options select, and calls `body` with the producer of its rows.
    ///
    /// - Parameter inPieces: Whether `body` needs a few rows at a time, even of a complete image.
    static func withRows<R>(
        of reader: AVIFReader, options: DecodeOptions, inPieces: Bool,
        _ body: (ImageAssembler, any RowProducer) throws -> R
    ) throws -> R {
        try options.checkFrame(of: max(1, Int(reader.header.frames)))
        try options.limits.check(reader.size, holding: [reader.planeBytes, reader.size.byteCount(.gray8)])
        try options.checkCancellation()
        let declared = reader.size
        try reader.decode(frame: options.frame)
        try options.checkCancellation()
        // The size of a grid is stored twice. The limits and the target size were applied to the first one.
        guard reader.size == declared else {
            throw ImageError(
                .corrupt,
                message: "The AVIF file is damaged: its image has \(reader.size) pixels, but the header declares \(declared).")
        }
        let header = reader.header
        let profile =
            ColorProfile(embedded: reader.profile).icc.map(ColorProfile.icc)
            ?? ColorProfile(primaries: Int(header.primaries), transfer: Int(header.transfer)) ?? .sRGB
        let convertsColor = options.convertsToSRGB && profile != .sRGB
        let isDeep = header.depth > 8 && (!options.convertsTo8Bit || convertsColor)
        let isGray = header.is_gray && !header.has_alpha
        let layout: RowLayout = isGray ? (isDeep ? .gray16 : .gray8) : (isDeep ? .rgba16 : .rgba8)
        let aperture = options.appliesOrientation ? reader.aperture : nil
        var stored = StoredImage(format: .avif, size: aperture?.size ?? reader.size, layout: layout)
        stored.orientation = options.applied(reader.orientation)
        stored.hasAlpha = header.has_alpha
        stored.profile = profile
        // A premultiplied image needs no conversion for a premultiplied result.
        stored.isPremultiplied = header.is_alpha_premultiplied && options.alpha == .premultiplied && !convertsColor
        let geometry = try options.geometry(storedSize: stored.size, orientation: stored.orientation)
        stored.deliversWhole = geometry == nil && aperture == nil && !inPieces
        // A few rows are converted twice for each block.
        stored.fewestRows = 64
        let assembler = try ImageAssembler(stored, options: options, codecBytes: reader.planeBytes)
        return try body(assembler, AVIFRows(reader, aperture: aperture, stored: stored, options: options))
    }
}

/// Converts the planes of a decoded AVIF frame to rows, a few at a time.
private final class AVIFRows: RowProducer {
    private let reader: AVIFReader
    private let aperture: CleanAperture?
    private let stored: StoredImage
    private let options: DecodeOptions
    /// The next row, in the order as stored.
    private var next: Int
    private var scratch: Scratch?

    init(_ reader: AVIFReader, aperture: CleanAperture?, stored: StoredImage, options: DecodeOptions) {
        (self.reader, self.aperture, self.stored, self.options) = (reader, aperture, stored, options)
        next = aperture?.y ?? 0
    }

    /// The number of pixels in a row as stored.
    private var rowBytes: Int { reader.size.width * stored.layout.bytesPerPixel }

    /// Chroma is interpolated from the rows above and below, so those rows are converted too and then dropped.
    private func rowsAround(_ rows: Range<Int>) -> Range<Int> {
        max(0, (rows.lowerBound - 2) & ~1)..<min(reader.size.height, rows.upperBound + 2)
    }

    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) throws -> RowsRead {
        if stored.deliversWhole { return try unsafe readWhole(into: target, stride: stride) }
        let rows = rowsAround(next..<(next + count))
        let scratch = try scratch ?? Scratch(rows: count + 5, rowBytes: rowBytes)
        self.scratch = scratch
        try unsafe convert(rows, into: scratch.base, stride: scratch.stride)
        let (left, bytes) = (aperture?.x ?? 0, stored.size.width * stored.layout.bytesPerPixel)
        for i in 0..<count {
            let row = unsafe scratch.base + (next + i - rows.lowerBound) * scratch.stride
            unsafe (target + i * stride).copyMemory(from: row + left * stored.layout.bytesPerPixel, byteCount: bytes)
        }
        next += count
        return RowsRead(count: count, failure: nil)
    }

    /// Converts rows into the target in blocks, so that a cancelled decode stops soon. The first rows of each block are less
    /// exact than those of the block before, which are restored.
    private func readWhole(into target: UnsafeMutableRawPointer, stride: Int) throws -> RowsRead {
        let height = stored.size.height
        let kept = try Scratch(rows: 3, rowBytes: rowBytes)
        for start in Swift.stride(from: 0, to: height, by: 128) {
            try options.checkCancellation()
            let rows = rowsAround(start..<min(height, start + 128))
            for y in rows.lowerBound..<start {
                unsafe (kept.base + (y - rows.lowerBound) * kept.stride).copyMemory(
                    from: target + y * stride, byteCount: rowBytes)
            }
            try unsafe convert(rows, into: target + rows.lowerBound * stride, stride: stride)
            for y in rows.lowerBound..<start {
                unsafe (target + y * stride).copyMemory(
                    from: kept.base + (y - rows.lowerBound) * kept.stride, byteCount: rowBytes)
            }
        }
        return RowsRead(count: height, failure: nil)
    }

    private func convert(_ rows: Range<Int>, into target: UnsafeMutableRawPointer, stride: Int) throws {
        try unsafe reader.convert(
            rows.lowerBound, rows.count, to: stored.layout, premultiplied: stored.isPremultiplied, into: target, stride: stride)
    }
}
