public import ImageCore

extension Placeholder {
    /// The image that a BlurHash stands for, stretched over the view by its target; ``none`` where `text` is no hash.
    ///
    /// - Parameter size: pixels of the blur; its shape should be that of the image to come.
    public static func blurHash(_ text: String, size: PixelSize = PixelSize(width: 32, height: 32)) -> Placeholder {
        (try? BlurHash.decode(text, size: size)).map(Placeholder.image) ?? .none
    }

    /// The image that a ThumbHash stands for; ``none`` where `bytes` are no hash.
    public static func thumbHash(_ bytes: some Collection<UInt8>) -> Placeholder {
        (try? ThumbHash.decode(bytes)).map(Placeholder.image) ?? .none
    }
}
