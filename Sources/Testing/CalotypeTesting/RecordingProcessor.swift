public import ImageCore

/// A processor that records its runs and does what a test's closure does.
public struct RecordingProcessor: Processing {
    public let identifier: String
    private let log: EventLog<String>
    private let work: (@Sendable (DecodedImage, ProcessingContext) throws -> DecodedImage)?

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - identifier: The processor's identifier.
    ///   - log: Receives the identifier for each run. By default a new list.
    ///   - work: Makes the result. By default the result is the input image.
    public init(
        _ identifier: String, log: EventLog<String> = EventLog(),
        work: (@Sendable (DecodedImage, ProcessingContext) throws -> DecodedImage)? = nil
    ) {
        (self.identifier, self.log, self.work) = (identifier, log, work)
    }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        log.append(identifier)
        return try work?(image, context) ?? image
    }
}
