/// What a processor may use while it works.
public struct ProcessingContext: Sendable {
    /// Cancels the work; `nil` for work that cannot be cancelled.
    public var cancellation: CancellationToken?
    /// The largest image that a processor may make, in pixels (width × height); 268,435,456 (16,384 × 16,384).
    public var maximumPixels = 1 << 28
    /// How many threads a processor may use, including that of its caller; 1. These threads come on top of the caller's
    /// worker threads, so set more only if images are processed one at a time.
    public var threads = 1
    /// The options of plug-ins; all at their defaults. A processor that reads one whose effect is
    /// ``OptionEffect/image`` need not name it in its identifier.
    public var extra = ExtraOptions()

    /// Creates a context.
    public init(cancellation: CancellationToken? = nil) { self.cancellation = cancellation }

    /// Throws `CancellationError` if the work was cancelled.
    public func checkCancellation() throws(CancellationError) { try cancellation?.check() }
}
