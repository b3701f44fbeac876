/// An image that is kept only as long as others use it, such as a view that shows it.
package struct WeakImage: Sendable {
    private let bitmap: Bitmap.Weak
    private weak var animation: AnimatedImage?
    private let isAnimated: Bool
    private let (format, isPartial, isPreview): (ImageFormat?, Bool, Bool)
    private let details: DecodedImage.Details

    /// - Returns: `nil` if only `image` has the pixels.
    package init?(_ image: inout DecodedImage) {
        guard !image.bitmap.isUniquelyReferenced() else { return nil }
        bitmap = Bitmap.Weak(image.bitmap)
        (animation, isAnimated) = (image.animation, image.animation != nil)
        (format, isPartial, isPreview) = (image.format, image.isPartial, image.isPreview)
        details = image.details
    }

    /// The image; `nil` once it is no longer in use.
    package var image: DecodedImage? {
        guard let bitmap = bitmap.bitmap else { return nil }
        var image = DecodedImage(bitmap, format: format, isPartial: isPartial, isPreview: isPreview)
        (image.animation, image.details) = (animation, details)
        return isAnimated && animation == nil ? nil : image
    }
}
