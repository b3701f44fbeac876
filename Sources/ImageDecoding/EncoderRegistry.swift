public import ImageCore

/// Selects the encoder of a format among the registered ones. The last registered encoder of a format is used. The registry is an
/// encoder itself.
public final class EncoderRegistry: Encoding {
    /// Identifies a registered encoder, for ``remove(_:)``.
    public struct Token: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct State: Sendable {
        var entries: [(token: Token, encoder: any Encoding)] = []
        var next = 0
    }

    private let state: Lock<State>

    /// Creates a registry.
    ///
    /// - Parameter encoders: the encoders; the first that writes a format is used for it. May be empty.
    public init(_ encoders: [any Encoding]) {
        let entries = encoders.enumerated().map { (token: Token(number: $0.offset), encoder: $0.element) }
        state = Lock(State(entries: entries, next: entries.count))
    }

    /// Adds an encoder, which takes precedence over all others.
    ///
    /// - Returns: a token to remove the encoder with.
    @discardableResult
    public func register(_ encoder: any Encoding) -> Token {
        state.withLock { state in
            let token = Token(number: state.next)
            state.next += 1
            state.entries.insert((token, encoder), at: 0)
            return token
        }
    }

    /// Removes an encoder. Does nothing if the encoder was already removed.
    public func remove(_ token: Token) {
        state.withLock { state in state.entries.removeAll { $0.token == token } }
    }

    /// The formats that the encoders write, without duplicates.
    public var formats: [ImageFormat] {
        var found: [ImageFormat] = []
        for format in encoders.flatMap(\.formats) where !found.contains(format) { found.append(format) }
        return found
    }

    public func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
        try encoder(of: format).encode(image, as: format, options: options)
    }

    public func encode(_ animation: any ImageAnimation, as format: ImageFormat, options: EncodeOptions) throws -> Data? {
        try encoder(of: format).encode(animation, as: format, options: options)
    }

    private func encoder(of format: ImageFormat) throws(ImageError) -> any Encoding {
        if let encoder = encoders.first(where: { $0.formats.contains(format) }) { return encoder }
        let known = formats.map(\.rawValue).joined(separator: ", ")
        throw ImageError(
            .unsupportedFeature, message: "No registered encoder writes the format \(format). The supported formats are \(known)."
        )
    }

    private var encoders: [any Encoding] { state.withLock { $0.entries.map(\.encoder) } }
}
