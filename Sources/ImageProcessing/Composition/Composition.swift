public import ImageCore

/// A list of processors as one processor.
public struct Composition: Processing {
    /// The processors, in order.
    public let processors: [any Processing]

    /// Creates the processor.
    public init(_ processors: [any Processing]) { self.processors = processors }

    public var identifier: String { "calotype.all(\(processors.map(\.identifier).joined(separator: ",")))" }

    public var usesPixelCoordinates: Bool { processors.contains(where: \.usesPixelCoordinates) }

    public var needsWholeImage: Bool { processors.contains(where: \.needsWholeImage) }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        try processors.reduce(image) { image, processor in
            try context.checkCancellation()
            return try processor.process(image, context: context)
        }
    }
}

extension Processing where Self == Composition {
    /// Runs several processors in order.
    public static func all(_ processors: [any Processing]) -> Self { Self(processors) }
}
