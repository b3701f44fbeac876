/// The key of a value that a decoder or a processor attaches to an image, for the code that shows the image.
///
/// ```swift
/// enum Caption: ImageValueKey {
///     typealias Value = String
/// }
/// struct Captioning: Processing {
///     var identifier: String { "example.captioning" }
///     func process(_ image: DecodedImage, context: ProcessingContext) -> DecodedImage {
///         var image = image
///         image.values[Caption.self] = "\(image.size.width) pixels wide"
///         return image
///     }
/// }
/// ```
public protocol ImageValueKey {
    /// The type of the value.
    associatedtype Value: Sendable
}

/// The values that decoders and processors attached to an image, by key type.
///
/// Processors keep them (``DecodedImage/with(_:)``), and so does the memory cache, which does not count their size. The
/// data cache does not: an image that it kept as a finished image has none.
public struct ImageValues: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// Creates no values.
    public init() {}

    /// Whether there is no value.
    public var isEmpty: Bool { values.isEmpty }

    /// The value of a key; `nil` without one.
    public subscript<Key: ImageValueKey>(key: Key.Type) -> Key.Value? {
        get { values[ObjectIdentifier(key)] as? Key.Value }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}
