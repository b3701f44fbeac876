internal import CCalotypeLibWebP
internal import ImageCore
internal import ImageDecoding

/// A frame of a WebP, or its only image.
struct WebPFrame {
    let place: AnimationFrame
    /// The range in the file of the frame as a WebP file without animation.
    let range: Range<Int>
    /// Whether all bytes of the frame are there.
    let isComplete: Bool
}

/// The structure of a WebP file, parsed by libwebpdemux (WebP container specification).
@safe final class WebPContainer {
    private let demuxer: OpaquePointer
    private let bytes: UnsafeRawBufferPointer
    /// Whether the data is complete up to the last chunk.
    let isComplete: Bool

    /// - Parameter bytes: Must stay valid while the container exists.
    /// - Throws: ``ImageError`` for a header that cannot be read, or an image beyond the limits.
    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(ImageError) {
        var file = unsafe WebPData(bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: bytes.count)
        var state = WEBP_DEMUX_PARSE_ERROR
        guard let demuxer = unsafe WebPDemuxPartial(&file, &state) else { throw unsafe Self.headerFailure(bytes) }
        unsafe (self.demuxer, self.bytes) = (demuxer, bytes)
        isComplete = state == WEBP_DEMUX_DONE
        // The canvas is not known before the first frame.
        guard frameCount > 0, size.width <= 1 << 24, size.height <= 1 << 24 else { throw .truncated(.webp) }
        try limits.check(size, bytesPerPixel: 0)
        guard frameCount <= limits.frames else { throw .tooManyFrames(.webp, limits) }
    }

    deinit { unsafe WebPDemuxDelete(demuxer) }

    private func number(_ feature: WebPFormatFeature) -> Int { unsafe Int(WebPDemuxGetI(demuxer, feature)) }

    private func has(_ flag: WebPFeatureFlags) -> Bool { number(WEBP_FF_FORMAT_FLAGS) & Int(flag.rawValue) != 0 }

    /// The size of the canvas in pixels.
    var size: PixelSize { PixelSize(width: number(WEBP_FF_CANVAS_WIDTH), height: number(WEBP_FF_CANVAS_HEIGHT)) }
    var frameCount: Int { number(WEBP_FF_FRAME_COUNT) }
    /// How often the animation is shown; 0 for ever, 1 for a still image.
    var loopCount: Int { frameCount > 1 ? number(WEBP_FF_LOOP_COUNT) : 1 }
    var isAnimated: Bool { has(ANIMATION_FLAG) }
    var hasAlpha: Bool { has(ALPHA_FLAG) }
    var orientation: Orientation { chunk("EXIF").map(EXIFOrientation.parse) ?? .up }
    var profile: ColorProfile { ColorProfile(embedded: chunk("ICCP")) }

    /// Whether the file ends before the Exif data that its header announces, so that the orientation is unknown.
    func lacksOrientation(_ options: DecodeOptions) -> Bool {
        options.appliesOrientation && has(EXIF_FLAG) && !isComplete && chunk("EXIF") == nil
    }

    private func chunk(_ name: String) -> Data? {
        var found = unsafe WebPChunkIterator()
        defer { unsafe WebPDemuxReleaseChunkIterator(&found) }
        guard unsafe WebPDemuxGetChunk(demuxer, name, 1, &found) != 0, let bytes = unsafe found.chunk.bytes else { return nil }
        return unsafe Data(bytes: bytes, count: found.chunk.size)
    }

    /// Returns a frame by its index from 0.
    func frame(_ index: Int) throws(ImageError) -> WebPFrame {
        var found = unsafe WebPIterator()
        defer { unsafe WebPDemuxReleaseIterator(&found) }
        guard unsafe WebPDemuxGetFrame(demuxer, Int32(index + 1), &found) != 0, let file = unsafe bytes.baseAddress,
            let start = unsafe found.fragment.bytes
        else { throw .truncated(.webp) }
        let place = unsafe AnimationFrame(
            x: Int(found.x_offset), y: Int(found.y_offset), size: PixelSize(width: Int(found.width), height: Int(found.height)),
            duration: .milliseconds(Int(found.duration)),
            disposal: found.dispose_method == WEBP_MUX_DISPOSE_BACKGROUND ? .clear : .keep,
            blends: found.blend_method == WEBP_MUX_BLEND, hasAlpha: found.has_alpha != 0)
        let offset = unsafe UnsafeRawPointer(start) - file
        return unsafe WebPFrame(
            place: place, range: offset..<(offset + found.fragment.size), isComplete: found.complete != 0)
    }

    /// The error for a header that cannot be read.
    private static func headerFailure(_ bytes: UnsafeRawBufferPointer) -> ImageError {
        let file = unsafe ByteReader(Data(bytes.prefix(64)))
        // `RIFF`, the size of the rest, `WEBP`.
        guard let size = file.uint32(at: 4, bigEndian: false), bytes.count < size + 8 else {
            return .damaged(.webp, "its chunks are invalid")
        }
        return .truncated(.webp)
    }
}
