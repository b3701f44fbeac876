public import ImageCore

/// Selects the decoder of a file among the registered ones. The last registered decoder is tried first, and the first
/// to accept the file decodes it. The registry is a decoder itself.
///
/// Formats are detected by the content of the file, never by its name or media type. Safe to use from any thread;
/// decoders are called outside of the lock.
///
/// ```swift
/// let registry = DecoderRegistry(.codecs)  // the decoders of ImageCodecs
/// ```
public final class DecoderRegistry: IncrementalDecoding, AnimationDecoding {
    /// Identifies a registered decoder, for ``remove(_:)``.
    public struct Token: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct State: Sendable {
        /// The decoders, in the order in which they are tried.
        var entries: [(token: Token, decoder: any Decoding)] = []
        var next = 0

        mutating func insert(_ decoder: any Decoding) -> Token {
            defer { next += 1 }
            entries.insert((Token(number: next), decoder), at: 0)
            return entries[0].token
        }
    }

    private let state = Lock(State())

    /// Creates a registry.
    ///
    /// - Parameter decoders: the decoders, in the order in which they are tried; may be empty.
    public init(_ decoders: [any Decoding]) {
        for decoder in decoders.reversed() { register(decoder) }
    }

    /// Adds a decoder, which is tried before all others.
    ///
    /// - Returns: a token to remove the decoder with.
    @discardableResult
    public func register(_ decoder: any Decoding) -> Token {
        state.withLock { $0.insert(decoder) }
    }

    /// Removes a decoder. Decodes that have begun continue. Does nothing if the decoder was already removed.
    public func remove(_ token: Token) {
        state.withLock { state in state.entries.removeAll { $0.token == token } }
    }

    /// The formats that the decoders read, without duplicates, in the order in which the decoders are tried.
    public var formats: [ImageFormat] { decoders.flatMap(\.formats).unique }

    public func format(of prefix: Data) -> ImageFormat? { decoder(accepting: prefix)?.format }

    public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        try decoder(for: data).decoder.info(of: data, limits: limits)
    }

    public func info(ofPrefix prefix: Data, limits: DecodingLimits) throws -> ImageInfo? {
        try decoder(accepting: prefix)?.decoder.info(ofPrefix: prefix, limits: limits)
    }

    /// Returns the thumbnail that the file contains, by the first decoder that accepts it; `nil` for none.
    public func embeddedThumbnail(in prefix: Data, options: DecodeOptions) throws -> DecodedImage? {
        try (decoder(accepting: prefix)?.decoder as? any IncrementalDecoding)?.embeddedThumbnail(in: prefix, options: options)
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try options.checkCancellation()
        return try decoder(for: data).decoder.decode(data, options: options)
    }

    /// Begins previews of a file, by the first decoder that accepts it.
    ///
    /// - Parameters:
    ///   - prefix: the first bytes of the file: at least 64 unless the file is shorter.
    ///   - options: how to decode the image.
    /// - Returns: `nil` if no decoder accepts the file, or that decoder has no previews of it.
    public func makeIncrementalDecoder(for prefix: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        try (decoder(accepting: prefix)?.decoder as? any IncrementalDecoding)?.makeIncrementalDecoder(
            for: prefix, options: options)
    }

    /// Returns the animation in a file, by the first decoder that accepts it.
    ///
    /// - Throws: ``ImageError`` (`unsupportedFeature`) if that decoder does not conform to ``AnimationDecoding``; what
    ///   it throws.
    public func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation {
        let (decoder, format) = try decoder(for: data)
        if let decoder = decoder as? any AnimationDecoding { return try decoder.animation(of: data, options: options) }
        throw ImageError(.unsupportedFeature, message: "The decoder of the format \(format) does not support animations.")
    }

    private var decoders: [any Decoding] { state.withLock { $0.entries.map(\.decoder) } }

    private func decoder(accepting prefix: Data) -> (decoder: any Decoding, format: ImageFormat)? {
        for decoder in decoders {
            if let format = decoder.format(of: prefix) { return (decoder, format) }
        }
        return nil
    }

    /// Returns the first decoder that accepts a file.
    ///
    /// - Throws: ``ImageError`` (`emptyFile`, `unknownFormat`).
    package func decoder(for data: Data) throws(ImageError) -> (decoder: any Decoding, format: ImageFormat) {
        guard !data.isEmpty else {
            throw ImageError(.emptyFile, message: "The file is empty: there are no bytes to decode.")
        }
        guard let found = decoder(accepting: data) else { throw unknownFormat(data) }
        return found
    }

    /// The error for a file that no decoder accepts. Names the probable type of the file and the supported formats.
    private func unknownFormat(_ data: Data) -> ImageError {
        let known = formats.map(\.rawValue).joined(separator: ", ")
        return ImageError(
            .unknownFormat,
            message: "The file is \(FileSniffer.describe(data)). No registered decoder supports it. "
                + "The supported formats are \(known).")
    }
}
