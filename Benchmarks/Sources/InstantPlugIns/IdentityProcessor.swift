public import ImageCore

/// Returns every image as it is.
public struct IdentityProcessor: Processing {
    private let number: Int

    /// - Parameter number: tells processors apart that are used for one image.
    public init(number: Int) { self.number = number }

    public var identifier: String { "identity(\(number))" }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage { image }
}
