public import ImageCore

/// Several processors in order, as one. Crops, turns and resizes that follow one another take one pass over memory.
public struct Composition: Processing {
    public let processors: [any Processing]

    public init(_ processors: [any Processing]) { self.processors = processors }

    public var identifier: String { "calotype.all(\(processors.map(\.identifier).joined(separator: ",")))" }

    public var usesPixelCoordinates: Bool { processors.contains(where: \.usesPixelCoordinates) }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        try runs.reduce(image) { image, run in
            try context.checkCancellation()
            return try run.processor.process(image, context: context)
        }
    }
}

/// A processor from a closure.
public struct ClosureProcessor: Processing {
    /// Names what the closure does and everything that it depends on.
    public let identifier: String
    private let body: @Sendable (DecodedImage, ProcessingContext) throws -> DecodedImage

    public init(id: String, _ body: @escaping @Sendable (DecodedImage, ProcessingContext) throws -> DecodedImage) {
        (identifier, self.body) = (id, body)
    }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage { try body(image, context) }
}

extension Processing where Self == Composition {
    /// Several processors in order, as one.
    public static func all(_ processors: [any Processing]) -> Self { Self(processors) }
}

extension Processing where Self == ClosureProcessor {
    /// A processor from a closure; `id` names what it does and everything that it depends on.
    public static func closure(
        id: String, _ body: @escaping @Sendable (DecodedImage, ProcessingContext) throws -> DecodedImage
    ) -> Self { Self(id: id, body) }
}
