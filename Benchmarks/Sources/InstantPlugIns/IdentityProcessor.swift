public import ImageCore

/// Returns each image unchanged.
public struct IdentityProcessor: Processing {
    private let number: Int

    /// - Parameter number: Distinguishes the processors of one image.
    public init(number: Int) { self.number = number }

    public var identifier: String { "identity(\(number))" }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage { image }
}
