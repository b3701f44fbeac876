public import ImageCore

/// Selects the encoder of a format among the registered ones. The last registered encoder of a format is used. The
/// registry is an encoder itself.
public final class EncoderRegistry: Encoding {
    /// The encoders, in the order in which they are tried.
    private let encoders: Lock<[any Encoding]>

    /// Creates a registry.
    ///
    /// - Parameter encoders: the encoders; the first that writes a format is used for it. May be empty.
    public init(_ encoders: [any Encoding]) { self.encoders = Lock(encoders) }

    /// Adds an encoder, which takes precedence over all others.
    public func register(_ encoder: any Encoding) { encoders.withLock { $0.insert(encoder, at: 0) } }

    /// The formats that the encoders write, without duplicates.
    public var formats: [ImageFormat] { encoders.withLock { $0 }.flatMap(\.formats).unique }

    public func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
        try encoder(of: format).encode(image, as: format, options: options)
    }

    public func encode(_ animation: any ImageAnimation, as format: ImageFormat, options: EncodeOptions) throws -> Data? {
        try encoder(of: format).encode(animation, as: format, options: options)
    }

    private func encoder(of format: ImageFormat) throws(ImageError) -> any Encoding {
        if let encoder = encoders.withLock({ $0 }).first(where: { $0.formats.contains(format) }) { return encoder }
        let known = formats.map(\.rawValue).joined(separator: ", ")
        throw ImageError(
            .unsupportedFeature, message: "No registered encoder writes the format \(format). The supported formats are \(known)."
        )
    }
}

extension [ImageFormat] {
    /// The formats without duplicates.
    var unique: [ImageFormat] { reduce(into: []) { found, format in if !found.contains(format) { found.append(format) } } }
}
