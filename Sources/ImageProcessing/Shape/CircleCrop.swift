public import ImageCore
internal import ImageKernels

/// Crops an image to the largest circle in its middle, with a smooth edge.
public struct CircleCrop: Processing, Hashable {
    /// Creates the processor.
    public init() {}

    public var identifier: String { "calotype.circle" }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        let side = min(image.size.width, image.size.height)
        let place = Gravity.center.place(PixelSize(width: side, height: side), in: image.size)
        let square = try image.bitmap.cropped(x: place.x, y: place.y, width: side, height: side)
        return image.with(
            try square.rounded(
                CornerRadii(Double(side) / 2), threads: context.threads, cancellation: context.cancellation))
    }
}

extension Processing where Self == CircleCrop {
    /// Crops to the largest circle in the middle.
    public static var circle: CircleCrop { CircleCrop() }
}
