internal import CCalotypeLibWebP
public import ImageCore
internal import ImageDecoding

extension WebPDecoder: IncrementalDecoding {
    /// Previews a still image by its rows. An animation has no previews.
    public func makeIncrementalDecoder(for prefix: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        format(of: prefix) == nil || options.frame > 0 ? nil : WebPPreviews(options: options)
    }
}

/// Makes previews of a WebP by its rows.
final class WebPPreviews: IncrementalDecoder {
    private let options: DecodeOptions
    private var begun: (reader: WebPReader, canvas: PreviewCanvas)?

    init(options: DecodeOptions) { self.options = options }

    func preview(of file: Data) throws -> DecodedImage? {
        try options.checkCancellation()
        return try unsafe file.withUnsafeBytes { bytes in
            guard let (reader, canvas) = try unsafe begun ?? begin(bytes) else { return nil }
            begun = (reader, canvas)
            let status = unsafe reader.update(bytes)
            guard [VP8_STATUS_OK, VP8_STATUS_SUSPENDED, VP8_STATUS_NOT_ENOUGH_DATA].contains(status) else {
                throw WebPReader.failure(status)
            }
            canvas.available = reader.rows
            return try canvas.preview(of: canvas.available)
        }
    }

    /// Begins the decode when the container gives the size of the image.
    private func begin(_ bytes: UnsafeRawBufferPointer) throws -> (WebPReader, PreviewCanvas)? {
        guard let container = unsafe try? WebPContainer(bytes, limits: options.limits), let frame = try? container.frame(0) else {
            return nil
        }
        if container.isAnimated { throw ImageError.truncated(.webp) }
        let stored = try WebPDecoder.storedImage(
            container, frame, isLossless: unsafe WebPReader.isLossless(bytes), options: options)
        let canvas = try PreviewCanvas(stored, options: options)
        return (try unsafe WebPReader(into: canvas.rows.base, stride: canvas.rows.stride, stored), canvas)
    }
}
