public import ImageCore

extension Placeholder {
    /// The image of a BlurHash, which the target stretches over the view; ``none`` if `text` is not a BlurHash.
    ///
    /// - Parameters:
    ///   - text: the hash.
    ///   - size: the size of the decoded hash in pixels; 32 × 32. It should have the aspect ratio of the loaded image.
    public static func blurHash(_ text: String, size: PixelSize = PixelSize(width: 32, height: 32)) -> Placeholder {
        (try? BlurHash.decode(text, size: size)).map(Placeholder.image) ?? .none
    }

    /// The image of a ThumbHash; ``none`` if `bytes` are not a ThumbHash.
    public static func thumbHash(_ bytes: some Collection<UInt8>) -> Placeholder {
        (try? ThumbHash.decode(bytes)).map(Placeholder.image) ?? .none
    }
}
