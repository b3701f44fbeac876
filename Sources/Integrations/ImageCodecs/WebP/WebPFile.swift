internal import CCalotypeLibWebP
internal import ImageCore
internal import ImageDecoding

/// A WebP container, which libwebpmux writes.
///
/// It writes an animation of one frame as a still image.
@safe final class WebPFile {
    // The functions of libwebpmux accept `nil`, and fail.
    private let muxer = unsafe WebPMuxNew()

    deinit { unsafe WebPMuxDelete(muxer) }

    /// Adds a frame, which replaces the pixels below it instead of being blended. The first one is the whole image.
    ///
    /// - Parameters:
    ///   - file: the frame as a WebP file.
    ///   - x: the left edge, an even number. So is `y`, the upper edge.
    ///   - milliseconds: how long the frame is shown, in 24 bits.
    func addFrame(_ file: Data, x: Int = 0, y: Int = 0, milliseconds: Int = 0) throws(ImageError) {
        try unsafe add(file) { bytes in
            var frame = unsafe WebPMuxFrameInfo()
            unsafe (frame.bitstream, frame.id, frame.blend_method) = (bytes, WEBP_CHUNK_ANMF, WEBP_MUX_NO_BLEND)
            unsafe (frame.x_offset, frame.y_offset, frame.duration) = (Int32(x), Int32(y), Int32(milliseconds))
            return unsafe WebPMuxPushFrame(muxer, &frame, 1)
        }
    }

    /// Returns the file with an ICC profile, which may be empty, and an orientation.
    func data(loopCount: Int = 0, profile: Data, orientation: Orientation) throws(ImageError) -> Data {
        for (name, content) in [("ICCP", profile), ("EXIF", EXIFOrientation.data(orientation))] where !content.isEmpty {
            try unsafe add(content) { bytes in
                var bytes = unsafe bytes
                return unsafe WebPMuxSetChunk(muxer, name, &bytes, 1)
            }
        }
        // The background is transparent. Browsers ignore it. The loop count has 16 bits.
        var settings = WebPMuxAnimParams(bgcolor: 0, loop_count: Int32(max(0, min(loopCount, 65_535))))
        var file = unsafe WebPData()
        defer { unsafe WebPDataClear(&file) }
        guard unsafe WebPMuxSetAnimationParams(muxer, &settings) == WEBP_MUX_OK,
            unsafe WebPMuxAssemble(muxer, &file) == WEBP_MUX_OK
        else { throw .outOfMemory(.webp) }
        return unsafe Data(bytes: file.bytes, count: file.size)
    }

    private func add(_ content: Data, _ add: (WebPData) -> WebPMuxError) throws(ImageError) {
        let result = unsafe content.withUnsafeBytes { bytes in
            unsafe add(WebPData(bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: bytes.count))
        }
        guard result == WEBP_MUX_OK else { throw .outOfMemory(.webp) }
    }
}
