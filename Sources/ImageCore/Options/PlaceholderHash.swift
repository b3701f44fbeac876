/// A hash of an image, and the function that draws a blurred image from it.
///
/// The hash is stored as bytes because a list may hold thousands of placeholders; a target draws it when it shows it.
public struct PlaceholderHash: Sendable, Equatable {
    /// The bytes of the hash in its own format.
    public var bytes: Data
    private let drawing: @Sendable (Data) throws -> DecodedImage

    /// Creates a hash.
    ///
    /// - Parameters:
    ///   - bytes: the hash in its own format.
    ///   - draw: draws a small image, about 32 pixels wide. A target calls it on its own isolation, so it must return
    ///     within a fraction of a millisecond. If it throws, the view shows no placeholder.
    public init(_ bytes: Data, draw: @escaping @Sendable (Data) throws -> DecodedImage) {
        self.bytes = bytes
        drawing = draw
    }

    /// Whether two hashes have equal bytes.
    public static func == (a: PlaceholderHash, b: PlaceholderHash) -> Bool { a.bytes == b.bytes }

    /// Draws the image, which the view enlarges smoothly.
    ///
    /// - Throws: what the drawing function throws, for example if the hash is malformed.
    public func draw() throws -> DecodedImage { try drawing(bytes) }
}
