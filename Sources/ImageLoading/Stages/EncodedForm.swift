internal import HTTPTypes
internal import ImageCore

/// The format that a load wants its image in, and the options of the encoder.
final class EncodedForm: Equatable, Sendable {
    let format: ImageFormat
    private let options: EncodeOptions
    /// What tells the form apart in the keys of jobs and of the data cache.
    let text: String

    /// The header field that keeps the size of a stored image.
    private static let sizeField = HTTPField.Name("Calotype-Size")

    init(_ format: ImageFormat, _ options: EncodeOptions) {
        (self.format, self.options) = (format, options)
        let choices: [(String, Any?)] = [
            ("quality", options.quality), ("effort", options.effort), ("chroma", options.chroma),
            ("progressive", options.isProgressive), ("lossless", options.isLossless), ("orientation", options.orientation),
        ]
        text = format.rawValue + choices.compactMap { name, value in value.map { " \(name)=\($0)" } }.joined()
    }

    static func == (a: EncodedForm, b: EncodedForm) -> Bool { a.text == b.text }

    /// Encodes an image: with all frames, where it has several and the format has animations.
    func encode(
        _ image: DecodedImage, with encoder: any Encoding, extra: ExtraOptions, _ token: CancellationToken
    ) throws -> DataEntry {
        try token.check()
        var options = options
        (options.extra, options.cancellation) = (extra, token)
        let frames = (image.animation?.frames as? AnimationReader).map { EncodedFrames($0, token) }
        let animation = try frames.flatMap { try encoder.encode($0, as: format, options: options) }
        let data = try animation ?? encoder.encode(image, as: format, options: options)
        var head = HTTPResponse(status: .ok, headerFields: [.contentType: format.mediaType])
        if let field = Self.sizeField { head.headerFields[field] = "\(image.size.width)x\(image.size.height)" }
        return DataEntry(data: data, head: head, storedAt: Date().timeIntervalSince1970)
    }

    /// The image of an entry; `nil` for an entry of another kind.
    func image(_ entry: DataEntry) -> EncodedImage? {
        let size = Self.sizeField.flatMap { entry.head.headerFields[$0] }?.split(separator: "x").compactMap { Int($0) }
        guard let size, size.count == 2, !entry.data.isEmpty else { return nil }
        return EncodedImage(data: entry.data, format: format, size: PixelSize(width: size[0], height: size[1]))
    }
}

/// The frames of a loaded animation, for an encoder.
private final class EncodedFrames: ImageAnimation {
    // A reader of its own, since a view that stops to play the animation cancels the decodes of its reader.
    private let reader: AnimationReader
    private let token: CancellationToken

    init(_ reader: AnimationReader, _ token: CancellationToken) { (self.reader, self.token) = (reader.copy(), token) }

    var durations: [Duration] { reader.durations }
    var loopCount: Int { reader.loopCount }

    func frame(at index: Int) throws -> DecodedImage {
        try token.check()
        return try reader.decode(index)
    }
}
