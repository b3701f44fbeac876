import ImageCore
import ImageDecoding

/// The rows of an image that arrives in pieces, as the codec delivered them. Images are assembled from them like those of a
/// complete file, so that the final image is the same.
final class IncrementalCanvas {
    let stored: StoredImage
    let rows: Scratch
    /// The number of rows from the top that have pixels.
    var available = 0

    /// - Parameter codecBytes: The memory of the codec in bytes.
    init(_ stored: StoredImage, options: DecodeOptions, codecBytes: Int = 0) throws(ImageError) {
        self.stored = stored
        let row = stored.decodedSize.width * stored.layout.bytesPerPixel
        // The rows, and an image that is assembled from them.
        try options.limits.check(
            stored.limitedSize, holding: [codecBytes, row * stored.decodedSize.height, stored.decodedSize.byteCount(.rgba8)])
        rows = try Scratch(rows: stored.decodedSize.height, rowBytes: row)
    }

    /// Returns the image so far, marked as a preview.
    ///
    /// - Parameter image: The description of the image, if more is known of it than at the beginning.
    func preview(_ options: DecodeOptions) throws -> DecodedImage {
        var options = options
        options.allowsPartial = true
        var image = try ImageAssembler(stored, options: options).assemble(StoredRows(self, failure: nil))
        image.isPreview = true
        return image
    }

    /// Returns the final image, or throws `failure` if the options do not allow a partial one.
    func final(_ options: DecodeOptions, failure: ImageError?, orientation: Orientation? = nil) throws -> DecodedImage {
        var stored = stored
        if let orientation { stored.orientation = orientation }
        return try ImageAssembler(stored, options: options).assemble(StoredRows(self, failure: failure))
    }
}

/// Delivers rows that have been decoded already.
private final class StoredRows: RowProducer {
    private let canvas: IncrementalCanvas
    private let failure: ImageError?
    private var next = 0

    init(_ canvas: IncrementalCanvas, failure: ImageError?) {
        self.canvas = canvas
        self.failure = failure
    }

    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) -> RowsRead {
        let here = max(0, min(count, canvas.available - next))
        let bytes = canvas.stored.decodedSize.width * canvas.stored.layout.bytesPerPixel
        for i in 0..<here {
            unsafe (target + i * stride).copyMemory(from: canvas.rows.base + (next + i) * canvas.rows.stride, byteCount: bytes)
        }
        next += here
        return RowsRead(count: here, failure: here == count ? nil : failure ?? .truncated(canvas.stored.format))
    }

    func finish() -> ImageError? { failure }
}
