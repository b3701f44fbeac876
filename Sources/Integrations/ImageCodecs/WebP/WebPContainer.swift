import CCalotypeWebP
import ImageCore
import ImageDecoding

/// A frame of a WebP, or its only image: the position on the canvas, and its image as a WebP file.
@safe struct WebPFrame {
    let x: Int, y: Int
    let size: PixelSize
    let milliseconds: Int
    /// Whether the frame's rectangle becomes transparent after the frame.
    let clearsAfter: Bool
    /// Whether the frame is blended with the pixels below it; otherwise it replaces them.
    let blends: Bool
    let hasAlpha: Bool
    let bytes: UnsafeBufferPointer<UInt8>
    let byteCount: Int
    /// Whether all bytes of the frame are there.
    let isComplete: Bool

    fileprivate init(_ frame: clt_webp_frame) {
        unsafe (x, y) = (Int(frame.x), Int(frame.y))
        size = unsafe PixelSize(width: Int(frame.width), height: Int(frame.height))
        milliseconds = unsafe Int(frame.milliseconds)
        clearsAfter = unsafe frame.clears_after
        blends = unsafe frame.blends
        hasAlpha = unsafe frame.has_alpha
        unsafe bytes = UnsafeBufferPointer(start: frame.bytes, count: frame.count)
        byteCount = unsafe frame.count
        isComplete = unsafe frame.is_complete
    }
}

/// The structure of a WebP file, parsed by libwebpdemux (WebP container specification).
@safe final class WebPContainer {
    private let handle: OpaquePointer
    private(set) var info = clt_webp_container_info()

    /// - Parameter bytes: Must stay valid while the container exists.
    /// - Throws: ``ImageError`` for a header that cannot be read, or an image beyond the limits.
    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(ImageError) {
        let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard let handle = unsafe clt_webp_container_create(base, bytes.count, &info) else {
            throw unsafe Self.headerFailure(bytes)
        }
        unsafe self.handle = handle
        // The canvas is not known before the first frame.
        guard info.frames > 0, info.width <= 1 << 24, info.height <= 1 << 24 else { throw .truncated(.webp) }
        try limits.check(size, bytesPerPixel: 0)
        guard info.frames <= limits.frames else {
            throw ImageError(
                .tooLarge,
                message:
                    "The WebP has \(info.frames) frames, more than the limit of \(limits.frames); raise it to load the image.")
        }
    }

    deinit { unsafe clt_webp_container_destroy(handle) }

    /// The size of the canvas in pixels.
    var size: PixelSize { PixelSize(width: Int(info.width), height: Int(info.height)) }

    /// Whether the file ends before the Exif data that its header announces, so that the orientation is unknown.
    func lacksOrientation(_ options: DecodeOptions) -> Bool {
        options.appliesOrientation && info.promises_exif && !info.is_complete && chunk("EXIF") == nil
    }

    func chunk(_ name: String) -> Data? {
        var (bytes, count) = unsafe (UnsafePointer<UInt8>?.none, 0)
        guard unsafe clt_webp_container_chunk(handle, name, &bytes, &count), let bytes = unsafe bytes else { return nil }
        return unsafe Data(bytes: bytes, count: count)
    }

    /// Returns a frame by its index from 0. Its bytes are those of the file.
    func frame(_ index: Int) throws(ImageError) -> WebPFrame {
        var frame = unsafe clt_webp_frame()
        guard unsafe clt_webp_container_frame(handle, UInt32(index), &frame) else { throw .truncated(.webp) }
        return unsafe WebPFrame(frame)
    }

    /// The error for a header that cannot be read.
    private static func headerFailure(_ bytes: UnsafeRawBufferPointer) -> ImageError {
        let file = unsafe ByteReader(Data(bytes.prefix(64)))
        // `RIFF`, the size of the rest, `WEBP`.
        guard let size = file.uint32(at: 4, bigEndian: false), bytes.count < size + 8 else {
            return ImageError(.corrupt, message: "The WebP file is damaged: its chunks are invalid.")
        }
        return .truncated(.webp)
    }
}
