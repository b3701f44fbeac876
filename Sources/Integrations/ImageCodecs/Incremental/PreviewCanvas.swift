internal import ImageCore
internal import ImageDecoding

/// The rows of an image whose file is still arriving, as the codec delivered them. Previews are assembled from them
/// like the image of a complete file.
final class PreviewCanvas {
    let stored: StoredImage
    let rows: Scratch
    /// The number of rows from the top that have pixels.
    var available = 0
    /// The number of rows, or of scans, in the last preview.
    private(set) var lastPreviewed = 0
    private let options: DecodeOptions

    /// - Parameter codecBytes: the memory of the codec in bytes.
    init(_ stored: StoredImage, options: DecodeOptions, codecBytes: Int = 0) throws(ImageError) {
        self.stored = stored
        self.options = options
        let row = stored.decodedSize.width * stored.layout.bytesPerPixel
        // The rows, and an image that is assembled from them.
        try options.limits.check(
            stored.limitedSize, holding: [codecBytes, row * stored.decodedSize.height, stored.decodedSize.byteCount(.rgba8)])
        rows = try Scratch(rows: stored.decodedSize.height, rowBytes: row)
    }

    /// Returns the image so far, marked as a preview; `nil` when it has no more rows, or scans, than the last one.
    func preview(of count: Int) throws -> DecodedImage? {
        guard count > lastPreviewed else { return nil }
        lastPreviewed = count
        var options = options
        options.allowsPartial = true
        var image = try ImageAssembler(stored, options: options).assemble(CanvasRows(self))
        image.isPreview = true
        return image
    }
}

/// Delivers the rows that have pixels.
private final class CanvasRows: RowProducer {
    private let canvas: PreviewCanvas
    private var next = 0

    init(_ canvas: PreviewCanvas) { self.canvas = canvas }

    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) -> RowsRead {
        let here = max(0, min(count, canvas.available - next))
        let bytes = canvas.stored.decodedSize.width * canvas.stored.layout.bytesPerPixel
        for i in 0..<here {
            unsafe (target + i * stride).copyMemory(from: canvas.rows.base + (next + i) * canvas.rows.stride, byteCount: bytes)
        }
        next += here
        return RowsRead(count: here, failure: here == count ? nil : .truncated(canvas.stored.format))
    }
}
