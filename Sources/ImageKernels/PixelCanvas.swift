public import ImageCore

/// A background of one colour, and images that are drawn on it in order: for a processor that makes one image of
/// several, such as a collage or a frame.
///
/// The pixels are allocated and drawn by ``makeBitmap(_:)``, once for all images. Levels are mixed as they are stored,
/// gamma-encoded, in the colour space of the canvas: convert images of another colour space before.
///
/// ```swift
/// func besideEachOther(_ left: Bitmap, _ right: Bitmap, context: ProcessingContext) throws -> Bitmap {
///     let size = PixelSize(width: left.width + right.width, height: max(left.height, right.height))
///     var canvas = PixelCanvas(size, filledWith: .white, like: left)
///     try canvas.draw(left, x: 0, y: 0)
///     try canvas.draw(right, x: left.width, y: 0, opacity: 0.5, mode: .multiply)
///     return try canvas.makeBitmap(context)
/// }
/// ```
public struct PixelCanvas: Sendable {
    /// The size in pixels.
    public let size: PixelSize
    /// The colour of the background, in the colour space of the canvas.
    public let color: PixelColor
    private let format: PixelFormat
    private let colorSpace: ColorSpace
    private var layers: [CanvasLayer] = []

    /// Makes a canvas. Allocates nothing.
    ///
    /// - Parameters:
    ///   - size: the size in pixels; both sides at least 1.
    ///   - color: the colour of the background; transparent by default.
    ///   - bitmap: the bitmap whose depth and colour space the canvas has; `nil`, the default, for 8 bits and sRGB.
    public init(_ size: PixelSize, filledWith color: PixelColor = .clear, like bitmap: Bitmap? = nil) {
        (self.size, self.color) = (size, color)
        (format, colorSpace) = (bitmap?.format.isWide == true ? .rgba16 : .rgba8, bitmap?.colorSpace ?? .sRGB)
    }

    /// Draws an image over what was drawn before. What lies outside of the canvas is cut off.
    ///
    /// - Parameters:
    ///   - bitmap: the image, of any format and alpha mode. Its levels are converted to the depth of the canvas.
    ///   - x: the left edge of the image, in pixels; may be negative.
    ///   - y: the top edge of the image, in pixels; may be negative.
    ///   - opacity: the factor of the alpha of the image, from 0 to 1; 1.
    ///   - mode: how colours are mixed; ``PixelBlendMode/normal``.
    /// - Throws: ``ImageError`` (`invalidRequest`) for an opacity outside 0 to 1.
    public mutating func draw(
        _ bitmap: Bitmap, x: Int, y: Int, opacity: Double = 1, mode: PixelBlendMode = .normal
    ) throws(ImageError) {
        guard opacity >= 0, opacity <= 1 else {
            throw ImageError(.invalidRequest, message: "An image's opacity on a canvas must be from 0 to 1, not \(opacity).")
        }
        guard x < size.width, y < size.height, x > -bitmap.width, y > -bitmap.height else { return }
        layers.append(CanvasLayer(bitmap: bitmap, x: x, y: y, opacity: Float(opacity), mode: mode))
    }

    /// Draws the images.
    ///
    /// - Parameter context: limits the pixels of the canvas, gives the number of threads, and cancels the work, which
    ///   is checked between blocks of rows; 268,435,456 pixels and one thread without it.
    /// - Returns: RGBA, opaque if the background is, and otherwise premultiplied.
    /// - Throws: ``ImageError`` (`tooLarge`) if the canvas is beyond the limit, a side is less than 1, or there is not
    ///   enough memory; `CancellationError`.
    public func makeBitmap(_ context: ProcessingContext = ProcessingContext()) throws -> Bitmap {
        guard let count = size.pixelCount, count <= context.maximumPixels else {
            throw ImageError(
                .tooLarge,
                message:
                    "A canvas of \(size) pixels exceeds the limit of \(context.maximumPixels). Use a smaller size or raise the limit."
            )
        }
        try context.checkCancellation()
        let layers = try layers.map { try $0.converted(to: format) }
        let (path, color) = (KernelPath.current, color.premultiplied(most: format.isWide ? 65535 : 255))
        let alpha: AlphaMode = self.color.alpha < 1 ? .premultiplied : .opaque
        return try unsafe Bitmap(size: size, format: format, alpha: alpha, colorSpace: colorSpace) { pixels, bytesPerRow in
            let first = unsafe pixels.baseAddress.unsafelyUnwrapped
            try RowQueue.run(rows: size.height, threads: context.threads, cancellation: context.cancellation) { rows in
                for y in rows {
                    let row = unsafe PixelSamples(first + y * bytesPerRow, isWide: format.isWide)
                    for i in 0..<size.width * 4 { unsafe row[i] = color[i & 3] }
                    for layer in layers { unsafe layer.draw(on: row, y, width: size.width, path) }
                }
            }
        }
    }
}
