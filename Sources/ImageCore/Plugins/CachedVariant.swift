/// A cached image and its key.
public struct CachedVariant: Sendable {
    /// The key of the image.
    public var key: ImageKey
    /// The image.
    public var image: DecodedImage

    /// Creates a variant.
    public init(key: ImageKey, image: DecodedImage) {
        self.key = key
        self.image = image
    }
}
