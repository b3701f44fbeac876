public import ImageCore

/// A processor that changes nothing, or one pixel value, and counts its runs.
public struct RecordingProcessor: Processing {
    /// Counts by identifier; share one among the processors of a test.
    public final class Log: Sendable {
        private let log = EventLog<String>()
        public init() {}
        /// The identifiers of all runs, in order.
        public var runs: [String] { log.events }
        fileprivate func append(_ name: String) { log.append(name) }
    }

    public let identifier: String
    private let log: Log
    private let work: (@Sendable (DecodedImage, ProcessingContext) throws -> DecodedImage)?

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
