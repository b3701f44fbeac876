internal import HTTPTypes
internal import ImageCore

/// Reads and writes finished images in the data cache, encoded.
struct ProcessedCacheStage: Sendable {
    let parts: LoaderParts
    let key: DataKey

    /// The header field that keeps the format of the original.
    private static let originalFormat = HTTPField.Name("Calotype-Original-Format")

    init(parts: LoaderParts, image: ImageKey) {
        self.parts = parts
        key = DataKey(resource: image.resource, variant: image.variant)
    }

    func decode(_ entry: DataEntry, _ token: CancellationToken) throws -> DecodedImage {
        try token.check()
        var options = DecodeOptions()
        options.limits = parts.configuration.limits.decoding
        options.cancellation = token
        var image = try parts.decoder.decode(entry.data, options: options)
        image.format = Self.originalFormat.flatMap { entry.head.headerFields[$0] }.map { ImageFormat(rawValue: $0) }
        return image
    }

    /// The entry to store; `nil` where the loader has no encoder.
    func encode(_ image: DecodedImage) throws -> DataEntry? {
        guard let encoder = parts.configuration.encoder else { return nil }
        let format = parts.configuration.processedFormat
        let data = try encoder.encode(image, as: format, options: parts.configuration.processedEncoding)
        var head = HTTPResponse(status: .ok, headerFields: [.contentType: format.mediaType])
        if let field = Self.originalFormat { head.headerFields[field] = image.format?.rawValue }
        return DataEntry(data: data, head: head, storedAt: Date().timeIntervalSince1970)
    }
}
