public import ImageCore

/// A processor that records its runs and does what a test's closure does.
public struct RecordingProcessor: Processing {
    /// The runs of the processors that share it.
    public final class Log: Sendable {
        private let log = EventLog<String>()
        /// Creates an empty log.
        public init() {}
        /// The identifiers of the processors, one for each run, in order.
        public var runs: [String] { log.events }
        fileprivate func append(_ name: String) { log.append(name) }
    }

    public let identifier: String
    private let log: Log
    private let work: (@Sendable (DecodedImage, ProcessingContext) throws -> DecodedImage)?

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - identifier: The processor's identifier.
    ///   - log: Where its runs are recorded.
    ///   - work: Makes the result. By default the result is the input image.
    public init(
        _ identifier: String, log: Log,
        work: (@Sendable (DecodedImage, ProcessingContext) throws -> DecodedImage)? = nil
    ) {
        self.identifier = identifier
        self.log = log
        self.work = work
    }

    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        log.append(identifier)
        return try work?(image, context) ?? image
    }
}
