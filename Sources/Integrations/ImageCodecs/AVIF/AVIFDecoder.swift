internal import CCalotypeAVIF
public import ImageCore
internal import ImageDecoding
internal import ImageKernels

/// Decodes AVIF with libavif: 8, 10 and 12 bits, every chroma format, monochrome, alpha, grids, and single frames of
/// sequences.
///
/// The container gives the orientation (`irot`, `imir`) and the visible part of the image (`clap`); Exif inside AVIF
/// does not count, as the format requires. The decoder is not strict: it accepts files without `pixi`, and ignores an
/// invalid `clap`. HDR images (PQ, HLG) are tone-mapped to sRGB unless the options keep colours.
///
/// libavif cannot interrupt the decode of a frame: a cancelled decode finishes its frame, and then throws
/// `CancellationError`. The load ends at once, but its worker is free only after that.
public struct AVIFDecoder: AnimationDecoding {
    /// Creates a decoder.
    public init() {}

    public var formats: [ImageFormat] { [.avif] }

    /// Returns AVIF if the file begins with an `ftyp` box that names the brand `avif` or `avis` (AV1 Image File Format,
    /// 6).
    public func format(of prefix: Data) -> ImageFormat? {
        let reader = ByteReader(prefix)
        guard reader.matches("ftyp", at: 4), let size = reader.uint32(at: 0, bigEndian: true) else { return nil }
        let brands = [8] + Array(stride(from: 16, to: min(size, reader.count), by: 4))
        return brands.contains { reader.matches("avif", at: $0) || reader.matches("avis", at: $0) } ? .avif : nil
    }

    public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        try unsafe data.withUnsafeBytes { bytes in
            let reader = try unsafe Self.headerReader(data, bytes, limits: limits)
            let header = reader.header
            var info = ImageInfo(
                format: .avif, size: reader.size, frameCount: max(1, Int(header.frames)), orientation: reader.orientation,
                hasAlpha: header.has_alpha, bitDepth: Int(header.depth), colorModel: header.is_gray ? .gray : .rgb,
                colorProfile: ColorProfile(embedded: reader.profile).description, isProgressive: header.is_layered)
            info.croppedSize = reader.aperture?.size
            info.loopCount = AVIFRepetitions.loopCount(of: data, frames: info.frameCount)
            return info
        }
    }

    /// Returns a reader that has read the header. libavif rejects a sequence whose last frames have not arrived, unless
    /// more bytes may follow.
    private static func headerReader(
        _ data: Data, _ bytes: UnsafeRawBufferPointer, limits: DecodingLimits
    ) throws(ImageError) -> AVIFReader {
        do {
            return try unsafe AVIFReader(data, bytes, limits: limits)
        } catch  where error.code == .truncated {
            let reader = try AVIFReader(limits: limits, showsLayers: false)
            unsafe reader.supply(bytes, isLast: false)
            guard try reader.readHeader(of: data, limits: limits) else { throw error }
            try reader.ignoreOtherTracks(of: data)
            return reader
        }
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try unsafe data.withUnsafeBytes { try Self.decode(unsafe AVIFReader(data, $0, limits: options.limits), options: options) }
    }

    public func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation {
        try AVIFSequence(data, options: options)
    }

    /// Decodes the frame that the options select.
    static func decode(_ reader: AVIFReader, options: DecodeOptions) throws -> DecodedImage {
        try options.checkFrame(of: max(1, Int(reader.header.frames)))
        try options.limits.check(reader.size, holding: [reader.planeBytes, reader.size.byteCount(.gray8)])
        try options.checkCancellation()
        let declared = reader.size
        try reader.decode(frame: options.frame)
        try options.checkCancellation()
        // The size of a grid is stored twice. The limits and the target size were applied to the first one.
        guard reader.size == declared else {
            throw ImageError.damaged(.avif, "its image has \(reader.size) pixels, but the header declares \(declared)")
        }
        let header = reader.header
        let profile =
            ColorProfile(embedded: reader.profile).icc.map(ColorProfile.icc)
            ?? ColorProfile(primaries: Int(header.primaries), transfer: Int(header.transfer)) ?? .sRGB
        let convertsColor = options.convertsToSRGB && profile != .sRGB
        let isDeep = header.depth > 8 && (!options.convertsTo8Bit || convertsColor)
        let format = PixelFormat(isGray: header.is_gray && !header.has_alpha, isWide: isDeep)
        let aperture = options.appliesOrientation ? reader.aperture : nil
        var stored = StoredImage(format: .avif, size: aperture?.size ?? reader.size, layout: .pixels(format))
        stored.orientation = options.applied(reader.orientation)
        stored.hasAlpha = header.has_alpha
        stored.isGray = header.is_gray
        stored.profile = profile
        // A few rows are converted twice for each block.
        stored.fewestRows = 128
        return try ImageAssembler(stored, options: options, codecBytes: reader.planeBytes)
            .assemble(AVIFRows(reader, aperture: aperture, size: stored.size, format: format))
    }
}

/// Converts the planes of a decoded AVIF frame to rows, a few at a time.
private final class AVIFRows: RowProducer {
    private let reader: AVIFReader
    private let aperture: CleanAperture?
    /// The size of the visible part.
    private let size: PixelSize
    private let format: PixelFormat
    /// The next row, in the order as stored.
    private var next: Int
    private var scratch: Scratch?

    init(_ reader: AVIFReader, aperture: CleanAperture?, size: PixelSize, format: PixelFormat) {
        (self.reader, self.aperture, self.size, self.format) = (reader, aperture, size, format)
        next = aperture?.y ?? 0
    }

    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) throws -> RowsRead {
        // Chroma is interpolated from the rows above and below, so those rows are converted too and then dropped.
        let rows = max(0, (next - 2) & ~1)..<min(reader.size.height, next + count + 2)
        let pixelBytes = format.bytesPerPixel
        // libavif writes RGBA, of which grey is kept.
        let scratch = try scratch ?? Scratch(rows: count + 5, rowBytes: reader.size.width * (format.isWide ? 8 : 4))
        self.scratch = scratch
        try unsafe reader.convert(rows, to: format, into: scratch.base, stride: scratch.stride)
        for i in 0..<count {
            let row = unsafe scratch.base + (next + i - rows.lowerBound) * scratch.stride + (aperture?.x ?? 0) * pixelBytes
            unsafe (target + i * stride).copyMemory(from: row, byteCount: size.width * pixelBytes)
        }
        next += count
        return RowsRead(count: count, failure: nil)
    }
}
