public import ImageCore
import ImageDecoding
import ImageKernels
import CCalotypeAVIF

/// AVIF by libavif: 8, 10 and 12 bits, every chroma format, monochrome, alpha, grids; of a sequence, the frame asked for.
///
/// Orientation is the container's (`irot`, `imir`), and with it goes the part that the container shows (`clap`); Exif inside
/// AVIF does not count, as the format has it. Not strict: files without `pixi`, or with a `clap` that cannot be, decode whole.
/// HDR (PQ, HLG) is tone-mapped to sRGB unless colours are kept.
///
/// libavif decodes a frame in one go. Of a large image, the cancelled decode returns within milliseconds, while the frame is
/// finished in the background and its memory freed then. There are two such decodes at most, and `limits.decodedBytes` bounds
/// what they hold together; a further one is waited for. Small images, and frames of sequences, are decoded to their end.
public struct AVIFDecoder: AnimationDecoding {
    public init() {}

    public var formats: [ImageFormat] { [.avif] }

    /// AVIF where the file begins with an `ftyp` box that names a brand `avif` or `avis` (AV1 Image File Format, 6).
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
        // How large it is matters only where it can be cancelled.
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

    /// The frame that the options ask for.
    static func decode(_ reader: AVIFReader, options: DecodeOptions) throws -> DecodedImage {
        try withRows(of: reader, options: options, inPieces: false) { try $0.assemble($1) }
    }

    /// Decodes the frame that the options ask for, and calls `body` with what is about to deliver its rows.
    ///
    /// - Parameter inPieces: whether rows are wanted a few at a time even where the image is whole.
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
        // The size of a grid is stored twice. The limits and the target size were applied to the first.
        guard reader.size == declared else {
            throw ImageError(
                .corrupt, message: "The AVIF image is \(reader.size), but its header declares \(declared). The file is damaged.")
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
        // Stored premultiplied and wanted so, colour makes no round trip.
        stored.isPremultiplied = header.is_alpha_premultiplied && options.alpha == .premultiplied && !convertsColor
        let wanted = try options.geometry(storedSize: stored.size, orientation: stored.orientation)
        stored.deliversWhole = wanted == nil && aperture == nil && !inPieces
        // Each time, a few rows are converted for nothing.
        stored.fewestRows = 64
        let assembler = try ImageAssembler(stored, options: options, codecBytes: reader.planeBytes)
        return try body(assembler, AVIFRows(reader, aperture: aperture, stored: stored, options: options))
    }
}

/// The pixels of a decoded AVIF frame, converted from its planes a few rows at a time.
private final class AVIFRows: RowProducer {
    private let reader: AVIFReader
    private let aperture: CleanAperture?
    private let stored: StoredImage
    private let options: DecodeOptions
    /// The next row as stored.
    private var next: Int
    private var scratch: Scratch?

    init(_ reader: AVIFReader, aperture: CleanAperture?, stored: StoredImage, options: DecodeOptions) {
        (self.reader, self.aperture, self.stored, self.options) = (reader, aperture, stored, options)
        next = aperture?.y ?? 0
    }

    /// Of a row as stored.
    private var rowBytes: Int { reader.size.width * stored.layout.bytesPerPixel }

    /// Chroma is interpolated from the rows above and below, so those are converted too, and thrown away.
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

    /// Where they are to lie, in blocks, so that a cancelled decode stops soon. Each block's first rows are those that the
    /// block before has made better: they are put back.
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
