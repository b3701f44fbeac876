import ImageCore
import ImageKernels

/// What is known of an image when its pixels are about to be decoded.
struct StoredImage {
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
    /// Whether the pixels become final all at once: interlaced images, and codecs that fill a whole image. Then
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

    /// The part of the delivered rows that makes the image asked for, and its size before it is turned upright;
    /// `nil` where the rows are the image already.
    func geometry(for options: DecodeOptions) throws(ImageError) -> ResizeGeometry? {
        guard let stored = try options.geometry(storedSize: size, orientation: orientation) else { return nil }
        var geometry = stored
        geometry.x *= scale.x
        geometry.y *= scale.y
        geometry.width = min(stored.width * scale.x, Double(decodedSize.width) - geometry.x)
        geometry.height = min(stored.height * scale.y, Double(decodedSize.height) - geometry.y)
        return geometry.isIdentity(for: decodedSize) ? nil : geometry
    }
}
