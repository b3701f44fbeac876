/// A processor: turns an image into another image.
///
/// A processor is a value. Equal identifiers mean equal work, and loads with the same processors share it. Called
/// synchronously on a worker thread of the loader.
///
/// **Cancelling**: check `context.cancellation` between blocks of rows, and throw `CancellationError`.
///
/// **Errors**: throw ``ImageError``; other errors are wrapped as `plugInFailed` in the `process` stage.
///
/// **Must not**: write to the image that it receives (bitmaps are immutable; make a new one), or depend on anything
/// that the identifier does not name.
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
    /// Names the processor and every parameter. It must not change between launches, because the data cache uses it in
    /// its keys.
    var identifier: String { get }

    /// Whether the parameters are positions or sizes in pixels of the full image; `false`. The processor would then cut
    /// a smaller version elsewhere, so the engine does not show the thumbnail of a file through it.
    var usesPixelCoordinates: Bool { get }

    /// Whether the result depends on the size or the edges of the whole image: the processor cuts, turns or measures
    /// it. ``usesPixelCoordinates`` by default. In a view that sizes its request (``LoadOptions/sizesToTarget``), the
    /// image is then scaled after the processor instead of by the decode. Other processors work in pixels of the view.
    var needsWholeImage: Bool { get }

    /// Returns the processed image, or `image` if the processor changes nothing.
    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage
}

extension Processing {
    public var usesPixelCoordinates: Bool { false }
    public var needsWholeImage: Bool { usesPixelCoordinates }
}
