public import ImageCore

// The placeholders keep the hash, and the target draws it when it shows it. A malformed hash shows nothing.
extension Placeholder {
    /// The image of a BlurHash, which the target stretches over the view.
    ///
    /// - Parameters:
    ///   - text: the hash.
    ///   - size: the size of the drawn hash in pixels; 32 × 32. It should have the aspect ratio of the loaded image.
    public static func blurHash(_ text: String, size: PixelSize = PixelSize(32)) -> Placeholder {
        .hash(PlaceholderHash(Data(text.utf8)) { try BlurHash.decode(String(decoding: $0, as: UTF8.self), size: size) })
    }

    /// The image of a ThumbHash.
    public static func thumbHash(_ bytes: some Collection<UInt8>) -> Placeholder {
        .hash(PlaceholderHash(Data(bytes)) { try ThumbHash.decode($0) })
    }
}
