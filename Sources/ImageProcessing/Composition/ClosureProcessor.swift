public import ImageCore

/// A processor that calls a closure.
public struct ClosureProcessor: Processing {
    /// Names what the closure does and everything that it depends on.
    public let identifier: String
    public let needsWholeImage: Bool
    private let body: @Sendable (DecodedImage, ProcessingContext) throws -> DecodedImage

    /// Creates the processor.
    ///
    /// - Parameters:
    ///   - id: the identifier, which names what the closure does and everything that it depends on.
    ///   - needsWholeImage: whether the closure cuts, turns or measures the image
    ///     (``ImageCore/Processing/needsWholeImage``); `false`.
    ///   - body: processes an image.
    public init(
        id: String, needsWholeImage: Bool = false,
        _ body: @escaping @Sendable (DecodedImage, ProcessingContext) throws -> DecodedImage
    ) {
        (identifier, self.needsWholeImage, self.body) = (id, needsWholeImage, body)
    }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage { try body(image, context) }
}

extension Processing where Self == ClosureProcessor {
    /// Calls a closure. `id` names what the closure does and everything that it depends on.
    public static func closure(
        id: String, needsWholeImage: Bool = false,
        _ body: @escaping @Sendable (DecodedImage, ProcessingContext) throws -> DecodedImage
    ) -> Self { Self(id: id, needsWholeImage: needsWholeImage, body) }
}
