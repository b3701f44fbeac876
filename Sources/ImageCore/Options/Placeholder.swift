/// What a view shows while its image loads.
public enum Placeholder: Sendable, Equatable {
    /// Nothing.
    case none
    /// An image.
    case image(DecodedImage)
    /// A colour. The components are not premultiplied and range from 0 to 1.
    case color(red: Double, green: Double, blue: Double, alpha: Double)
    /// A hash from which a blurred image is drawn, such as a BlurHash or a ThumbHash.
    case hash(PlaceholderHash)
}
