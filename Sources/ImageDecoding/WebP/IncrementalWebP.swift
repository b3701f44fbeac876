import CCalotypeWebP
public import ImageCore

extension WebPDecoder: IncrementalDecoding {
    /// Rows of a still picture as they come; of an animation nothing before the end.
    public func makeIncrementalDecoder(for head: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        format(of: head) == nil ? nil : IncrementalWebP(options: options)
    }
}

/// A WebP that arrives in pieces. libwebp keeps what it needs of the bytes; they are kept here too, since orientation
/// stands at the end of the file.
// @unchecked because the protocol has its calls made by one thread at a time.
@safe final class IncrementalWebP: IncrementalDecoder, @unchecked Sendable {
    private let options: DecodeOptions
    private var data = Data()
    private var handle: OpaquePointer?
    private var canvas: IncrementalCanvas?
    private var status = CLT_WEBP_NEEDS_INPUT
    /// Whether only the end of the file can tell: animations.
    private var waits = false
    private var shown = 0
    /// Bytes that libwebp was given.
    private(set) var bytesDecoded = 0

    init(options: DecodeOptions) { self.options = options }

    deinit { unsafe clt_webp_reader_destroy(handle) }

    func append(_ chunk: Data) throws {
        try options.checkCancellation()
        data.append(chunk)
        guard !waits else { return }
        if let canvas {
            guard let handle = unsafe handle, status == CLT_WEBP_NEEDS_INPUT else { return }
            unsafe decode(chunk, by: handle, into: canvas)
        } else {
            try begin()
        }
        if status != CLT_WEBP_NEEDS_INPUT, status != CLT_WEBP_OK { throw WebPPicture.failure(status) }
    }

    /// Begins once the container says how large the picture is and where it lies.
    private func begin() throws {
        let picture = try unsafe data.withUnsafeBytes { bytes -> StoredPicture? in
            var features = clt_webp_features()
            let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            guard unsafe clt_webp_read_features(base, bytes.count, &features) == CLT_WEBP_OK else { return nil }
            waits = features.is_animated
            if waits { return nil }
            guard let container = try unsafe container(bytes), let frame = try? container.frame(0) else { return nil }
            return try WebPDecoder.picture(container, frame, options: options)
        }
        guard let picture else { return }
        let canvas = try IncrementalCanvas(picture, options: options)
        let size = picture.decodedSize
        let room = canvas.rows.stride * (size.height - 1) + 4 * size.width
        let reader = unsafe clt_webp_reader_create(
            canvas.rows.base.assumingMemoryBound(to: UInt8.self), room, Int32(canvas.rows.stride), UInt32(size.width),
            UInt32(size.height), size != picture.size, false)
        guard let reader = unsafe reader else { throw ImageError.outOfMemory(.webp) }
        unsafe handle = reader
        self.canvas = canvas
        unsafe decode(data, by: reader, into: canvas)
    }

    private func decode(_ bytes: Data, by reader: OpaquePointer, into canvas: IncrementalCanvas) {
        status = unsafe bytes.withUnsafeBytes { bytes in
            unsafe clt_webp_reader_append(reader, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
        bytesDecoded += bytes.count
        canvas.available = unsafe Int(clt_webp_reader_rows(reader))
    }

    /// The container as far as it goes; `nil` where that is not far enough.
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
        guard let canvas, canvas.available > shown else { return nil }
        shown = canvas.available
        return try canvas.preview(options)
    }

    func finish() throws -> DecodedImage {
        guard let canvas, status == CLT_WEBP_OK || status == CLT_WEBP_NEEDS_INPUT else {
            return try WebPDecoder().decode(data, options: options)
        }
        let (applied, isCut) = unsafe data.withUnsafeBytes { bytes in
            let container = unsafe try? WebPContainer(bytes, limits: options.limits)
            let orientation = container?.chunk("EXIF").map(EXIFOrientation.parse)
            return (options.applied(orientation ?? .up), container?.lacksOrientation(options) ?? true)
        }
        // How far libwebp scales was settled for a picture that lies the other way: only now is it known how this one does.
        if applied.swapsSides != canvas.picture.orientation.swapsSides, options.targetSize != nil {
            return try WebPDecoder().decode(data, options: options)
        }
        if status == CLT_WEBP_OK { canvas.available = canvas.picture.decodedSize.height }
        if isCut, !options.allowsPartial { throw ImageError.truncated(.webp) }
        var image = try canvas.final(
            options, failure: status == CLT_WEBP_OK ? nil : .truncated(.webp), orientation: applied)
        image.isPartial = image.isPartial || isCut
        return image
    }
}
