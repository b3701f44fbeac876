internal import CCalotypeLibWebP
public import ImageCore
internal import ImageDecoding

extension WebPDecoder: IncrementalDecoding {
    /// Previews a still image by its rows, and an animation by its first frame.
    public func makeIncrementalDecoder(for prefix: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        format(of: prefix) == nil || options.frame > 0 ? nil : WebPPreviews(options: options)
    }
}

/// Makes previews of a WebP by its rows, or one of an animation: its first frame, when that has arrived.
final class WebPPreviews: IncrementalDecoder {
    private let options: DecodeOptions
    private var begun: (reader: WebPReader, canvas: PreviewCanvas)?
    /// Whether the first frame of an animation was shown.
    private var isOver = false

    init(options: DecodeOptions) { self.options = options }

    func preview(of file: Data) throws -> DecodedImage? {
        try options.checkCancellation()
        if isOver { return nil }
        return try unsafe file.withUnsafeBytes { bytes in
            if begun == nil {
                guard let (container, frame) = unsafe firstFrame(of: bytes) else { return nil }
                if container.isAnimated { return try preview(of: file, container, frame) }
                begun = try unsafe begin(container, frame, bytes)
            }
            guard let (reader, canvas) = begun else { return nil }
            let status = unsafe reader.update(bytes)
            guard [VP8_STATUS_OK, VP8_STATUS_SUSPENDED, VP8_STATUS_NOT_ENOUGH_DATA].contains(status) else {
                throw WebPReader.failure(status)
            }
            canvas.available = reader.rows
            return try canvas.preview(of: canvas.available)
        }
    }

    /// Returns the container when it gives the size of the image.
    private func firstFrame(of bytes: UnsafeRawBufferPointer) -> (WebPContainer, WebPFrame)? {
        guard let container = unsafe try? WebPContainer(bytes, limits: options.limits), let frame = try? container.frame(0) else {
            return nil
        }
        return (container, frame)
    }

    /// Decodes the first frame of an animation, once.
    private func preview(of file: Data, _ container: WebPContainer, _ frame: WebPFrame) throws -> DecodedImage? {
        guard frame.isComplete else { return nil }
        isOver = true
        // The orientation follows the last frame.
        if container.lacksOrientation(options) { return nil }
        var image = try WebPDecoder().decode(file, options: options)
        image.isPreview = true
        return image
    }

    private func begin(
        _ container: WebPContainer, _ frame: WebPFrame, _ bytes: UnsafeRawBufferPointer
    ) throws -> (WebPReader, PreviewCanvas) {
        let stored = try WebPDecoder.storedImage(
            container, frame, isLossless: unsafe WebPReader.isLossless(bytes), options: options)
        let canvas = try PreviewCanvas(stored, options: options)
        return (try unsafe WebPReader(into: canvas.rows.base, stride: canvas.rows.stride, stored), canvas)
    }
}
