internal import ImageCore
internal import ImageKernels

/// The description of an image whose pixels are about to be decoded.
struct StoredImage {
    var format: ImageFormat
    /// The full size as stored, in pixels.
    var size: PixelSize
    /// The size to which the pixel limit applies: ``size``, or the size of the result if only some rows are held at
    /// once.
    private(set) var limitedSize: PixelSize
    /// The size of the codec's rows, which is smaller than ``size`` if the codec scales.
    var decodedSize: PixelSize
    /// The number of delivered pixels for one stored pixel. It differs from the ratio of the sizes, which are rounded.
    var scale: (x: Double, y: Double) = (1, 1)
    var orientation = Orientation.up
    var layout: RowLayout
    var hasAlpha = false
    /// Whether the codec delivers alpha although the image is opaque.
    var ignoresAlpha = false
    /// Whether rows of RGBA are grey, so that a grey profile applies to them.
    var isGray = false
    var profile = ColorProfile.sRGB
    /// Whether all pixels become final at once, as in interlaced images and in codecs that fill a whole image. Then
    /// ``RowProducer/readRows(into:stride:count:)`` is called once, for all rows.
    var deliversWhole = false
    /// The smallest number of rows to request at once, because the codec makes them together or needs rows around them.
    var fewestRows = 1

    init(format: ImageFormat, size: PixelSize, layout: RowLayout) {
        (self.format, self.size, self.layout) = (format, size, layout)
        decodedSize = size
        limitedSize = size
    }

    /// Applies the pixel limit to the result, if that is smaller than the image as stored.
    mutating func limitLarger(than output: PixelSize) {
        if let pixels = output.pixelCount, pixels < size.pixelCount ?? .max { limitedSize = output }
    }

    /// The part of the delivered rows that makes the requested image, and its size before the orientation is applied,
    /// or `nil` if the rows are the image already.
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
