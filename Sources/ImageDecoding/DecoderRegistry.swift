public import ImageCore
import ImageKernels

/// The decoders that are tried for a picture: the newest plug-in first, the built-in ones last, each of which may
/// decline. A decoder itself, so that it stands wherever one is asked for.
///
/// A format is known by the file's content, never by its name or its declared type. What a plug-in returns larger than
/// asked for is resampled here, so that a decode with a target size gives exactly the size of ``ResizeGeometry``.
/// Safe to use from any thread; plug-ins are called outside the lock.
public final class DecoderRegistry: IncrementalDecoding {
    /// What ``register(_:)`` returns, and ``remove(_:)`` takes.
    public struct Token: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Entry: Sendable {
        let token: Token
        let decoder: any Decoding
    }

    private struct State: Sendable {
        /// The order in which they are asked.
        var entries: [Entry] = []
        var next = 0
    }

    private let state: Lock<State>

    /// The decoders of this module: JPEG, PNG, WebP, AVIF, GIF.
    public static var builtIn: [any Decoding] {
        [JPEGDecoder(), PNGDecoder(), WebPDecoder(), AVIFDecoder(), GIFDecoder()]
    }

    /// - Parameter decoders: in the order in which they are asked.
    public init(_ decoders: [any Decoding] = DecoderRegistry.builtIn) {
        let entries = decoders.enumerated().map { Entry(token: Token(number: $0.offset), decoder: $0.element) }
        state = Lock(State(entries: entries, next: entries.count))
    }

    /// Adds a decoder, which is asked before all others from now on.
    @discardableResult
    public func register(_ decoder: any Decoding) -> Token {
        state.withLock { state in
            let token = Token(number: state.next)
            state.next += 1
            state.entries.insert(Entry(token: token, decoder: decoder), at: 0)
            return token
        }
    }

    /// Takes a decoder out again; decodes under way go on. A token that is gone already does nothing.
    public func remove(_ token: Token) {
        state.withLock { state in state.entries.removeAll { $0.token == token } }
    }

    /// Every format that one of the decoders reads, each once, in the order in which they are asked.
    public var formats: [ImageFormat] {
        var found: [ImageFormat] = []
        for format in decoders.flatMap(\.formats) where !found.contains(format) { found.append(format) }
        return found
    }

    public func format(of head: Data) -> ImageFormat? { accepting(head)?.format }

    public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        try decoder(for: data).decoder.info(of: data, limits: limits)
    }

    public func info(ofHead head: Data, limits: DecodingLimits) throws -> ImageInfo? {
        try accepting(head)?.decoder.info(ofHead: head, limits: limits)
    }

    /// The thumbnail that the first decoder to accept the bytes finds in them.
    public func embeddedThumbnail(in head: Data, options: DecodeOptions) throws -> DecodedImage? {
        try (accepting(head)?.decoder as? any IncrementalDecoding)?.embeddedThumbnail(in: head, options: options)
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try options.checkCancellation()
        let (decoder, _) = try decoder(for: data)
        let image = try decoder.decode(data, options: options)
        guard options.targetSize != nil else { return image }
        return try finished(image, of: data, by: decoder, options: options)
    }

    /// Resampled, as what a decoder returns larger than asked for always is. From twice the size the filter sees all that it
    /// lets through: but at hard edges such a picture is within two levels of its own decode.
    public func decode(_ data: Data, from larger: DecodedImage, options: DecodeOptions) throws -> DecodedImage? {
        guard options.targetSize != nil, !larger.isPartial else { return nil }
        let (decoder, _) = try decoder(for: data)
        return try finished(larger, of: data, by: decoder, options: options)
    }

    /// Begins a decode of a picture that arrives in pieces, by the first decoder that accepts it. One that has no use for
    /// pieces gets the whole at the end; previews then come to nothing.
    ///
    /// - Parameter head: the first bytes, at least 64 unless the file is shorter.
    public func makeIncrementalDecoder(for head: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        guard let (decoder, _) = accepting(head) else { return nil }
        let incremental = try (decoder as? any IncrementalDecoding)?.makeIncrementalDecoder(for: head, options: options)
        return incremental ?? CollectingDecoder(self, options: options)
    }

    private var decoders: [any Decoding] { state.withLock { $0.entries.map(\.decoder) } }

    private func accepting(_ head: Data) -> (decoder: any Decoding, format: ImageFormat)? {
        for decoder in decoders {
            if let format = decoder.format(of: head) { return (decoder, format) }
        }
        return nil
    }

    func decoder(for data: Data) throws(ImageError) -> (decoder: any Decoding, format: ImageFormat) {
        guard !data.isEmpty else {
            throw ImageError(.emptyFile, message: "The file is empty: there are no bytes to decode.")
        }
        guard let found = accepting(data) else { throw unknown(data) }
        return found
    }

    /// Scales what is larger than asked for; the part and the size are those of the picture in full.
    private func finished(
        _ image: DecodedImage, of data: Data, by decoder: any Decoding, options: DecodeOptions
    ) throws -> DecodedImage {
        // The decode has applied the limits; a scaled one may read files that are larger.
        let info = try decoder.info(of: data, limits: options.limits.withoutPixelLimit)
        let stored = options.appliesOrientation ? info.croppedSize ?? info.size : info.size
        let full = options.applied(info.orientation).applied(to: stored)
        let wanted = try StoredPicture.storedGeometry(size: full, orientation: .up, options: options)
        guard var geometry = wanted, image.size != geometry.output else { return image }
        let (x, y) = (Double(image.size.width) / Double(full.width), Double(image.size.height) / Double(full.height))
        (geometry.x, geometry.width) = (geometry.x * x, geometry.width * x)
        (geometry.y, geometry.height) = (geometry.y * y, geometry.height * y)
        var bitmap = try Resampler.resize(image.bitmap, to: geometry, cancellation: options.cancellation)
        if options.alpha == .straight { bitmap = try bitmap.unpremultiplied() }
        return image.with(bitmap)
    }

    /// Names what the file seems to be, and what can be read here.
    private func unknown(_ data: Data) -> ImageError {
        let known = formats.map(\.rawValue).joined(separator: ", ")
        return ImageError(
            .unknownFormat,
            message: "The file is \(FileSniffer.describe(data)). No decoder here reads it. "
                + "The image formats that can be read are \(known).")
    }
}
