import CCalotypeWebP
import ImageCore
import ImageDecoding

/// One frame of a WebP, or its only image: a place on the canvas, and a WebP of its own.
@safe struct WebPFrame {
    let x: Int, y: Int
    let size: PixelSize
    let milliseconds: Int
    /// Whether its place becomes transparent when its time is over.
    let clearsAfter: Bool
    /// Whether it is laid over what is there; else it replaces it.
    let blends: Bool
    let hasAlpha: Bool
    let bytes: UnsafeBufferPointer<UInt8>
    let byteCount: Int
    /// Whether all bytes of it are there.
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

/// A WebP file taken apart by libwebpdemux (WebP container specification).
@safe final class WebPContainer {
    private let handle: OpaquePointer
    private(set) var info = clt_webp_container_info()

    /// - Parameter bytes: must stay where they are while the container lives.
    /// - Throws: ``ImageError`` for a header that cannot be read, or an image beyond the limits.
    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(ImageError) {
        let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard let handle = unsafe clt_webp_container_create(base, bytes.count, &info) else {
            throw unsafe Self.headerFailure(bytes)
        }
        unsafe self.handle = handle
        // Without a frame the canvas is not known yet.
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

    /// Pixels of the canvas.
    var size: PixelSize { PixelSize(width: Int(info.width), height: Int(info.height)) }

    /// Whether the file was cut before the Exif that its header promises: how the image lies is not known then.
    func lacksOrientation(_ options: DecodeOptions) -> Bool {
        options.appliesOrientation && info.promises_exif && !info.is_complete && chunk("EXIF") == nil
    }

    func chunk(_ name: String) -> Data? {
        var (bytes, count) = unsafe (UnsafePointer<UInt8>?.none, 0)
        guard unsafe clt_webp_container_chunk(handle, name, &bytes, &count), let bytes = unsafe bytes else { return nil }
        return unsafe Data(bytes: bytes, count: count)
    }

    /// A frame, from 0. Its bytes lie in the file.
    func frame(_ index: Int) throws(ImageError) -> WebPFrame {
        var frame = unsafe clt_webp_frame()
        guard unsafe clt_webp_container_frame(handle, UInt32(index), &frame) else { throw .truncated(.webp) }
        return unsafe WebPFrame(frame)
    }

    /// Why not even the header could be read.
    private static func headerFailure(_ bytes: UnsafeRawBufferPointer) -> ImageError {
        let file = unsafe ByteReader(Data(bytes.prefix(64)))
        // RIFF, the size of what follows, WEBP.
        guard let size = file.uint32(at: 4, bigEndian: false), bytes.count < size + 8 else {
            return ImageError(.corrupt, message: "The WebP file is damaged: its chunks do not fit together.")
        }
        return .truncated(.webp)
    }
}
