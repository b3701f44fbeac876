internal import ImageCore

extension ProcessingContext {
    /// Throws `tooLarge` if a result of that size exceeds the limit, or has a side of more than 1,000,000 pixels.
    func check(_ size: PixelSize, after identifier: String) throws(ImageError) {
        guard let count = size.pixelCount, count <= maximumPixels, max(size.width, size.height) <= 1_000_000 else {
            throw ImageError(
                .tooLarge,
                message:
                    "\(identifier) would make an image of \(size) pixels, more than the limit of \(maximumPixels). Use a smaller size or raise the limit."
            )
        }
    }
}
