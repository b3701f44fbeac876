public import ImageCore
import ImageKernels

/// A list of decoders, each of which may decline an image: the last registered is asked first. A decoder itself, so that it
/// stands wherever one is expected.
///
/// A format is known by the file's content, never by its name or its declared type. An image that a decoder returns larger than
/// the target size is resampled here, so that a decode with a target size gives exactly the size of ``ResizeGeometry``.
/// Safe to use from any thread; decoders are called outside the lock.
///
/// ```swift
/// let registry = DecoderRegistry(.codecs)  // those of ImageCodecs
/// ```
public final class DecoderRegistry: IncrementalDecoding, AnimationDecoding {
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

    /// - Parameter decoders: in the order in which they are asked; may be empty.
    public init(_ decoders: [any Decoding]) {
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

    public func info(ofPrefix head: Data, limits: DecodingLimits) throws -> ImageInfo? {
        try accepting(head)?.decoder.info(ofPrefix: head, limits: limits)
    }

    /// The thumbnail that the first decoder to accept the bytes finds in them.
    public func embeddedThumbnail(in head: Data, options: DecodeOptions) throws -> DecodedImage? {
        try (accepting(head)?.decoder as? any IncrementalDecoding)?.embeddedThumbnail(in: head, options: options)
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try options.checkCancellation()
        let (decoder, _) = try decoder(for: data)
        return try decoder.decode(data, options: options)
            .resized(for: options) { try decoder.decodedSize(of: data, options: options) }
    }

    /// Resampled, as what a decoder returns larger than asked for always is. From twice the size the filter sees all that it
    /// lets through: but at hard edges such an image is within two levels of its own decode.
    public func decode(_ data: Data, from larger: DecodedImage, options: DecodeOptions) throws -> DecodedImage? {
        guard options.targetSize != nil, !larger.isPartial else { return nil }
        let (decoder, _) = try decoder(for: data)
        return try larger.resized(for: options) { try decoder.decodedSize(of: data, options: options) }
    }

    /// Begins a decode of an image that arrives in pieces, by the first decoder that accepts it. One that has no use for
    /// pieces gets the whole at the end; previews then come to nothing.
    ///
    /// - Parameter head: the first bytes, at least 64 unless the file is shorter.
    public func makeIncrementalDecoder(for head: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        guard let (decoder, _) = accepting(head) else { return nil }
        let incremental = try (decoder as? any IncrementalDecoding)?.makeIncrementalDecoder(for: head, options: options)
        return incremental ?? CollectingDecoder(self, options: options)
    }

    /// The frames of an animation, by the first decoder that accepts the file.
    ///
    /// - Throws: ``ImageError`` (`unsupportedFeature`) where that decoder is no ``AnimationDecoding``; what it throws.
    public func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation {
        let (decoder, format) = try decoder(for: data)
        if let decoder = decoder as? any AnimationDecoding { return try decoder.animation(of: data, options: options) }
        throw ImageError(.unsupportedFeature, message: "The decoder of the format \(format) reads no animations.")
    }

    private var decoders: [any Decoding] { state.withLock { $0.entries.map(\.decoder) } }

    private func accepting(_ head: Data) -> (decoder: any Decoding, format: ImageFormat)? {
        for decoder in decoders {
            if let format = decoder.format(of: head) { return (decoder, format) }
        }
        return nil
    }

    package func decoder(for data: Data) throws(ImageError) -> (decoder: any Decoding, format: ImageFormat) {
        guard !data.isEmpty else {
            throw ImageError(.emptyFile, message: "The file is empty: there are no bytes to decode.")
        }
        guard let found = accepting(data) else { throw unknown(data) }
        return found
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
