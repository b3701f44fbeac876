internal import CCalotypeAVIF
internal import CCalotypeCodec
internal import ImageCore
internal import ImageDecoding
internal import ImageKernels

/// Reads one AVIF with libavif.
@safe final class AVIFReader {
    private let handle: OpaquePointer
    private(set) var header = clt_avif_header()
    private var ignoresAlpha = false
    /// Whether the file has alpha that libavif does not read.
    private var missesAlpha = false

    /// Creates a reader of a complete file. The bytes must stay valid, or be supplied again before each decode.
    ///
    /// - Throws: ``ImageError`` for a container that cannot be read, or an image beyond the limits.
    convenience init(_ file: Data, _ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(ImageError) {
        try self.init(limits: limits, showsLayers: false)
        unsafe supply(bytes, isLast: true)
        if try !readHeader(of: file, limits: limits) { throw .truncated(.avif) }
        try ignoreOtherTracks(of: file)
    }

    /// Ignores an auxiliary track that is no alpha, after the header is read.
    func ignoreOtherTracks(of file: Data) throws(ImageError) {
        guard header.has_alpha, !missesAlpha else { return }
        ignoresAlpha = try AVIFAuxiliaryTracks.areOther(in: file)
        if ignoresAlpha { unsafe clt_avif_reader_ignore_alpha(handle, &header) }
    }

    /// Creates a reader of a file that arrives in pieces. Its properties are valid after ``readHeader(of:limits:)``.
    ///
    /// - Parameter showsLayers: whether the layers of a layered image are frames.
    init(limits: DecodingLimits, showsLayers: Bool) throws(ImageError) {
        guard let handle = unsafe clt_avif_reader_create(UInt32(clamping: max(1, limits.frames)), showsLayers) else {
            throw .outOfMemory(.avif)
        }
        unsafe self.handle = handle
    }

    /// Sets all bytes of the file so far. They must stay valid during the calls that follow.
    func supply(_ bytes: UnsafeRawBufferPointer, isLast: Bool) {
        unsafe clt_avif_reader_supply(handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, isLast)
    }

    /// Reads the container from the bytes so far. Returns `false` when more bytes are needed.
    func readHeader(of file: Data, limits: DecodingLimits) throws(ImageError) -> Bool {
        let status = unsafe clt_avif_reader_read_header(handle, &header)
        if status == CLT_NEEDS_INPUT { return false }
        if status != CLT_OK { throw failure(status) }
        try limits.check(size, bytesPerPixel: 0)
        findMissedAlpha(in: file)
        return true
    }

    /// Adds the alpha of a grid's cells to the header, which libavif omits.
    private func findMissedAlpha(in file: Data) {
        guard !header.has_alpha, AVIFCellAlpha.isPresent(in: file) else { return }
        (missesAlpha, header.has_alpha) = (true, true)
    }

    deinit { unsafe clt_avif_reader_destroy(handle) }

    /// The size as stored, in pixels.
    var size: PixelSize { PixelSize(width: Int(header.width), height: Int(header.height)) }

    /// The visible part; `nil` for the whole image.
    var aperture: CleanAperture? {
        guard header.has_aperture else { return nil }
        let numbers = unsafe withUnsafeBytes(of: header.aperture) { unsafe Array($0.bindMemory(to: UInt32.self)) }
        return CleanAperture(numbers, in: size)
    }

    var profile: Data? {
        var (bytes, count) = unsafe (UnsafePointer<UInt8>?.none, 0)
        guard unsafe clt_avif_reader_profile(handle, &bytes, &count), let bytes = unsafe bytes else { return nil }
        return unsafe Data(bytes: bytes, count: count)
    }

    /// Returns how long a frame is shown, at most a day.
    func duration(of frame: Int) -> Duration {
        var seconds = 0.0
        guard unsafe clt_avif_reader_duration(handle, UInt32(frame), &seconds), seconds > 0 else { return .zero }
        return .seconds(min(seconds, 86_400))
    }

    /// The memory of a decoded frame's planes in bytes. libavif also decodes alpha that is ignored.
    var planeBytes: Int {
        let samples = (header.is_gray ? 1 : 3) + (header.has_alpha || ignoresAlpha ? 1 : 0)
        return (size.pixelCount ?? 0) * samples * (header.depth > 8 ? 2 : 1)
    }

    /// The orientation of the container: its rotation, then its mirroring (HEIF, 6.5.10 and 6.5.12).
    var orientation: Orientation {
        let turns = Int(header.quarter_turns)
        return switch header.mirror_axis {
        // Mirroring from top to bottom is mirroring from left to right after a half turn.
        case 0: Self.mirrored[(turns + 2) & 3]
        case 1: Self.mirrored[turns & 3]
        default: Self.turned[turns & 3]
        }
    }

    /// The orientations after anti-clockwise quarter turns, and those that are then mirrored from left to right.
    static let turned: [Orientation] = [.up, .left, .down, .right]
    static let mirrored: [Orientation] = [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored]

    func decode(frame: Int) throws(ImageError) {
        if missesAlpha {
            throw ImageError(
                .unsupportedFeature,
                message: "The AVIF is a grid whose cells have their own alpha, which the installed libavif does not decode; "
                    + "use libavif 1.0 or later, or store one alpha item for the whole grid.")
        }
        let status = unsafe clt_avif_reader_decode(handle, UInt32(frame), &header)
        if status != CLT_OK { throw failure(status) }
    }

    func convert(
        _ rows: Range<Int>, to format: PixelFormat, into target: UnsafeMutableRawPointer, stride: Int
    ) throws(ImageError) {
        let status = unsafe clt_avif_reader_convert(
            handle, UInt32(rows.lowerBound), UInt32(rows.count), format.channels == 1, format.isWide,
            target.assumingMemoryBound(to: UInt8.self), stride)
        if status != CLT_OK { throw failure(status) }
    }

    private func failure(_ status: clt_status) -> ImageError {
        let text = unsafe String(cString: clt_avif_reader_message(handle))
        return ImageError(status, .avif, text.isEmpty ? "libavif gives no reason" : text)
    }
}
