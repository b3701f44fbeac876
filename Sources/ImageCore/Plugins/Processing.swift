/// A processor: turns one picture into another.
///
/// A value: equal identifiers mean equal work, and one run serves every load that asks for it. Called synchronously on
/// one of the loader's own worker threads, once per distinct picture and list of processors before it.
///
/// **Cancelling**: look at `context.cancellation` between blocks of rows, and throw `CancellationError`.
///
/// **Errors**: throw ``ImageError``; anything else is wrapped as `plugInFailed` in the `process` stage.
///
/// **Must not**: write to the picture that it gets (bitmaps are immutable; make a new one), or depend on anything that
/// the identifier does not name.
///
/// ```swift
/// struct Opaque: Processing {
///     var identifier: String { "example.opaque" }
///     func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
///         image.with(image.bitmap.reinterpreted(alpha: .opaque))
///     }
/// }
/// ```
public protocol Processing: Sendable {
    /// Names the processor and every parameter; stable across launches, since caches on disk use it.
    var identifier: String { get }

    /// Whether it names places or sizes in pixels of the whole picture, so that a smaller version of that would be cut
    /// elsewhere. The thumbnail in a file is then not shown through it. `false` by default.
    var usesPixelCoordinates: Bool { get }

    /// The processed picture. Returning the one that came in is right where nothing changes.
    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage
}

extension Processing {
    public var usesPixelCoordinates: Bool { false }
}

/// What a processor may look at while it works.
public struct ProcessingContext: Sendable {
    public var cancellation: CancellationToken?
    /// Width × height of the largest picture that a processor may make; 268,435,456 (16,384 × 16,384).
    public var maximumPixels = 1 << 28
    /// How many threads a processor may work with, its caller's included; 1. Threads of its own come on top of those that
    /// call, so more than one is for callers that process one picture at a time.
    public var threads = 1

    public init(cancellation: CancellationToken? = nil) { self.cancellation = cancellation }

    /// Throws `CancellationError` when the result is no longer wanted.
    public func checkCancellation() throws(CancellationError) { try cancellation?.check() }
}
