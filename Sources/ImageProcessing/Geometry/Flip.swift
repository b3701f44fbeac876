public import ImageCore
internal import ImageKernels

/// Mirrors an image.
public struct Flip: Processing, Hashable {
    /// The sides to exchange.
    public enum Direction: String, Hashable, Sendable, CaseIterable {
        /// Exchanges left and right.
        case horizontal
        /// Exchanges top and bottom.
        case vertical
    }

    /// The sides to exchange.
    public let direction: Direction

    /// Creates the processor.
    public init(_ direction: Direction) { self.direction = direction }

    var orientation: Orientation { direction == .horizontal ? .upMirrored : .downMirrored }

    public var identifier: String { "calotype.flip(\(direction.rawValue))" }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        image.with(
            try image.bitmap.oriented(orientation, threads: context.threads, cancellation: context.cancellation))
    }
}

extension Processing where Self == Flip {
    /// Mirrors left to right, or top to bottom.
    public static func flip(_ direction: Flip.Direction) -> Self { Self(direction) }
}
