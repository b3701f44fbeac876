import CCalotypeWebP
public import ImageCore
import ImageDecoding

extension WebPDecoder: IncrementalDecoding {
    /// Previews a still image by its rows. An animation has no previews.
    public func makeIncrementalDecoder(for head: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        format(of: head) == nil ? nil : IncrementalWebP(options: options)
    }
}

/// Decodes a WebP that arrives in pieces. It keeps the bytes besides libwebp, since the orientation is at the end of the file.
///
/// libwebp receives only the image's own chunks, as for a complete file. From the whole file it would also read alpha that the
/// header does not announce, and bytes past the end of an image that is too short. A truncated or damaged image may differ when
/// it is decoded in pieces, so it is decoded again after the end of the file.
// @unchecked because the protocol guarantees that one thread at a time calls it.
@safe final class IncrementalWebP: IncrementalDecoder, @unchecked Sendable {
    private let options: DecodeOptions
    private var data = Data()
    private var handle: OpaquePointer?
    private var canvas: IncrementalCanvas?
    private var status = CLT_WEBP_NEEDS_INPUT
    /// The range of the image's chunks in the file that libwebp has not received.
    private var rest = 0..<0
    /// The offset of a lossy image's pixels.
    private var lossyStart: Int?
    /// Whether the file can only be decoded when it is complete, such as an animation.
    private var waits = false
    private var lastPreviewed = 0
    /// The number of bytes that libwebp has received.
    private(set) var bytesDecoded = 0

    init(options: DecodeOptions) { self.options = options }

    deinit { unsafe clt_webp_reader_destroy(handle) }

    func append(_ chunk: Data) throws {
        try options.checkCancellation()
        data.append(chunk)
        guard !waits else { return }
        if canvas == nil { try begin() }
        guard let canvas, let handle = unsafe handle, status == CLT_WEBP_NEEDS_INPUT else { return }
        unsafe decode(by: handle, into: canvas)
        if status != CLT_WEBP_NEEDS_INPUT, status != CLT_WEBP_OK { throw WebPRows.failure(status) }
    }

    /// Begins the decode when the container gives the size and the range of the image.
    private func begin() throws {
        let found = try unsafe data.withUnsafeBytes { bytes -> (StoredImage, Range<Int>)? in
            var features = clt_webp_features()
            let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            guard unsafe clt_webp_read_features(base, bytes.count, &features) == CLT_WEBP_OK else { return nil }
            waits = features.is_animated
            if waits { return nil }
            guard let container = try unsafe container(bytes), let frame = try? container.frame(0),
                let base = unsafe base, let start = unsafe frame.bytes.baseAddress,
                let place = chunks(from: unsafe start - base)
            else { return nil }
            return (try WebPDecoder.storedImage(container, frame, options: options), place)
        }
        guard let (stored, place) = found else { return }
        let canvas = try IncrementalCanvas(stored, options: options)
        let size = stored.decodedSize
        let room = canvas.rows.stride * (size.height - 1) + 4 * size.width
        let reader = unsafe clt_webp_reader_create(
            canvas.rows.base.assumingMemoryBound(to: UInt8.self), room, Int32(canvas.rows.stride), UInt32(size.width),
            UInt32(size.height), size != stored.size, false)
        guard let reader = unsafe reader else { throw ImageError.outOfMemory(.webp) }
        unsafe handle = reader
        self.canvas = canvas
        rest = place
    }

    /// Returns the range from the chunk at `start` to the end of the one with the pixels, or `nil` before that has begun.
    private func chunks(from start: Int) -> Range<Int>? {
        let reader = ByteReader(data)
        var at = start
        while let size = reader.uint32(at: at + 4, bigEndian: false) {
            let end = at + 8 + size
            if reader.matches("VP8 ", at: at) { lossyStart = at + 8 }
            if lossyStart != nil || reader.matches("VP8L", at: at) { return start..<end }
            at = end + size & 1
        }
        return nil
    }

    private func decode(by reader: OpaquePointer, into canvas: IncrementalCanvas) {
        let bytes = data[rest.clamped(to: 0..<data.count)]
        guard !bytes.isEmpty else { return }
        rest = (rest.lowerBound + bytes.count)..<rest.upperBound
        status = unsafe bytes.withUnsafeBytes { bytes in
            unsafe clt_webp_reader_append(reader, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
        bytesDecoded += bytes.count
        canvas.available = unsafe Int(clt_webp_reader_rows(reader))
    }

    /// Parses the container so far, or returns `nil` when more bytes are needed.
    private func container(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> WebPContainer? {
        do {
            return try unsafe WebPContainer(bytes, limits: options.limits)
        } catch  where error.code == .tooLarge {
            throw error
        } catch {
            return nil
        }
    }

    func preview() throws -> DecodedImage? {
        guard let canvas, canvas.available > lastPreviewed else { return nil }
        lastPreviewed = canvas.available
        return try canvas.preview(options)
    }

    func finish() throws -> DecodedImage {
        let applied = unsafe data.withUnsafeBytes { bytes -> Orientation? in
            guard let container = unsafe try? WebPContainer(bytes, limits: options.limits), container.info.is_complete else {
                return nil
            }
            return options.applied(container.chunk("EXIF").map(EXIFOrientation.parse) ?? .up)
        }
        // The scale was chosen before the orientation was known, which exchanges width and height.
        guard let canvas, let applied, status == CLT_WEBP_OK,
            applied.swapsSides == canvas.stored.orientation.swapsSides || options.targetSize == nil,
            lossyStart.map({ LossyPartitions(data, at: $0).isLastOutOfRange }) != true
        else {
            canvas = nil
            return try WebPDecoder().decode(data, options: options)
        }
        canvas.available = canvas.stored.decodedSize.height
        return try canvas.final(options, failure: nil, orientation: applied)
    }
}
