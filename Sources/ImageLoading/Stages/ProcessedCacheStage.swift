internal import HTTPTypes
internal import ImageCore

/// Reads and writes finished images in the data cache, encoded.
struct ProcessedCacheStage: Sendable {
    let parts: LoaderParts
    let key: DataKey
    let options: LoadOptions

    /// The header field that keeps the format of the original.
    private static let originalFormat = HTTPField.Name("Calotype-Original-Format")

    init(parts: LoaderParts, image: ImageKey, plan: LoadPlan) {
        self.parts = parts
        options = plan.options
        key = DataKey(resource: image.resource, variant: image.variant)
    }

    func decode(_ entry: DataEntry, _ token: CancellationToken) throws -> DecodedImage {
        try token.check()
        var decoding = DecodeOptions()
        // The entry has no more than the load wants, but a decoder reduces what it is not told to keep.
        (decoding.convertsToSRGB, decoding.convertsTo8Bit) = (options.convertsToSRGB, options.convertsTo8Bit)
        decoding.alpha = options.decodedAlpha
        decoding.extra = options.extra
        decoding.limits = parts.configuration.limits.decoding
        decoding.cancellation = token
        var image = try parts.decoder.decode(entry.data, options: decoding)
        image.format = Self.originalFormat.flatMap { entry.head.headerFields[$0] }.map { ImageFormat(rawValue: $0) }
        return image
    }

    /// The entry to store; `nil` where the loader has no encoder.
    func encode(_ image: DecodedImage) throws -> DataEntry? {
        guard let encoder = parts.configuration.encoder else { return nil }
        let format = parts.configuration.processedFormat
        var encoding = parts.configuration.processedEncoding
        encoding.extra = options.extra
        let data = try encoder.encode(image, as: format, options: encoding)
        var head = HTTPResponse(status: .ok, headerFields: [.contentType: format.mediaType])
        if let field = Self.originalFormat { head.headerFields[field] = image.format?.rawValue }
        return DataEntry(data: data, head: head, storedAt: Date().timeIntervalSince1970)
    }
}
