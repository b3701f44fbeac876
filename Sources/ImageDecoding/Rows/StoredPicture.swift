import ImageCore
import ImageKernels

/// What is known of a picture when its pixels are about to be decoded.
struct StoredPicture {
    var format: ImageFormat
    /// As stored, in full.
    var size: PixelSize
    /// The size that the pixel limit applies to: ``size``, or that of the result where only some rows are held at once.
    private(set) var limitedSize: PixelSize
    /// The rows that the codec delivers; smaller than ``size`` where it scales down itself.
    var decodedSize: PixelSize
    /// Delivered pixels for one stored pixel; not exactly the ratio of the sizes, which are rounded.
    var scale: (x: Double, y: Double) = (1, 1)
    var orientation = Orientation.up
    var layout: RowLayout
    var hasAlpha = false
    /// Whether rows come with colour multiplied by alpha; else straight.
    var isPremultiplied = false
    var profile = ColorProfile.sRGB
    /// Whether the pixels become final all at once: interlaced pictures, and codecs that fill a whole picture. Then
    /// ``RowProducer/readRows(into:stride:count:)`` is called once, for all rows.
    var deliversWhole = false
    /// What the codec is asked for at once, at least: rows that it makes together, or that cost it rows around them.
    var fewestRows = 1

    init(format: ImageFormat, size: PixelSize, layout: RowLayout) {
        self.format = format
        self.size = size
        self.layout = layout
        decodedSize = size
        limitedSize = size
    }

    /// Makes the pixel limit apply to the result, if that is smaller than the image as stored.
    mutating func limitLarger(than output: PixelSize) {
        if let pixels = output.pixelCount, pixels < size.pixelCount ?? .max { limitedSize = output }
    }

    /// The part of the delivered rows that makes the picture asked for, and its size before it is turned upright;
    /// `nil` where the rows are the picture already.
    func geometry(for options: DecodeOptions) throws(ImageError) -> ResizeGeometry? {
        guard let stored = try Self.storedGeometry(size: size, orientation: orientation, options: options) else { return nil }
        var geometry = stored
        geometry.x *= scale.x
        geometry.y *= scale.y
        geometry.width = min(stored.width * scale.x, Double(decodedSize.width) - geometry.x)
        geometry.height = min(stored.height * scale.y, Double(decodedSize.height) - geometry.y)
        return geometry.isIdentity(for: decodedSize) ? nil : geometry
    }

    /// The same in pixels as stored. The crop of `fill` lies in the middle, so that turning only exchanges the axes.
    static func storedGeometry(
        size: PixelSize, orientation: Orientation, options: DecodeOptions
    ) throws(ImageError) -> ResizeGeometry? {
        guard let box = options.targetSize else { return nil }
        guard box.width > 0, box.height > 0 else {
            throw ImageError(
                .invalidRequest, message: "A picture cannot be scaled to \(box) pixels; both sides must be at least 1.")
        }
        let upright = ResizeGeometry(
            source: orientation.applied(to: size), box: box, mode: options.contentMode)
        guard !upright.isIdentity(for: orientation.applied(to: size)) else { return nil }
        return orientation.swapsSides ? upright.transposed : upright
    }
}

extension ResizeGeometry {
    /// The same with the axes exchanged.
    var transposed: ResizeGeometry {
        var other = self
        (other.x, other.y, other.width, other.height) = (y, x, height, width)
        other.output = output.transposed
        return other
    }
}

extension DecodeOptions {
    /// The orientation that this decode applies.
    func applied(_ orientation: Orientation) -> Orientation { appliesOrientation ? orientation : .up }

    /// Whether a picture with this in the way of it may be shown as far as it goes.
    func allowsPartial(after error: ImageError) -> Bool {
        allowsPartial && (error.code == .truncated || error.code == .corrupt)
    }

    /// Refuses frames that are not there.
    func checkFrame(of count: Int) throws(ImageError) {
        guard frame >= 0, frame < count else {
            throw ImageError(
                .invalidRequest,
                message:
                    "Frame \(frame) was asked for, but the picture has \(count == 1 ? "one" : "\(count)"), counted from 0."
            )
        }
    }
}

extension DecodingLimits {
    /// Refuses a picture whose size is beyond the pixel limit, or for which more than the byte limit would be held.
    ///
    /// - Parameter bytes: what the decode holds at its peak: the result, and the codec's own memory where it is known.
    func check(_ size: PixelSize, holding bytes: [Int]) throws(ImageError) {
        try check(size, bytesPerPixel: 0)
        var sum = 0
        for part in bytes {
            let (next, overflow) = sum.addingReportingOverflow(part)
            sum = overflow ? Int.max : next
        }
        guard sum <= decodedBytes else {
            throw ImageError(
                .tooLarge,
                message:
                    "Decoding this \(size) picture takes \(sum) bytes, over the limit of \(decodedBytes); raise it to load it."
            )
        }
    }
}

extension PixelSize {
    /// Bytes of a bitmap of this size, or as many as there are numbers for.
    func byteCount(_ format: PixelFormat) -> Int {
        let (count, overflow) = Bitmap.bytesPerRow(width: width, format: format).multipliedReportingOverflow(by: height)
        return overflow ? Int.max : count
    }
}
