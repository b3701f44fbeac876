public import ImageCore

/// The encoders by format: the newest plug-in for a format is the one that is used. An encoder itself.
public final class EncoderRegistry: Encoding {
    /// What ``register(_:)`` returns, and ``remove(_:)`` takes.
    public struct Token: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct State: Sendable {
        var entries: [(token: Token, encoder: any Encoding)] = []
        var next = 0
    }

    private let state: Lock<State>

    /// - Parameter encoders: the first that writes a format is used for it; may be empty.
    public init(_ encoders: [any Encoding]) {
        let entries = encoders.enumerated().map { (token: Token(number: $0.offset), encoder: $0.element) }
        state = Lock(State(entries: entries, next: entries.count))
    }

    /// Adds an encoder, which is used before all others from now on.
    @discardableResult
    public func register(_ encoder: any Encoding) -> Token {
        state.withLock { state in
            let token = Token(number: state.next)
            state.next += 1
            state.entries.insert((token, encoder), at: 0)
            return token
        }
    }

    /// Takes an encoder out again. A token that is gone already does nothing.
    public func remove(_ token: Token) {
        state.withLock { state in state.entries.removeAll { $0.token == token } }
    }

    /// Every format that one of the encoders writes, each once.
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
            .unsupportedFeature, message: "No encoder writes the format \(format); those that can be written are \(known).")
    }

    private var encoders: [any Encoding] { state.withLock { $0.entries.map(\.encoder) } }
}
