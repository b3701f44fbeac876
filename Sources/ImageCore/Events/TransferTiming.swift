/// The times of the phases of a transfer until the response headers arrived. After redirects they are those of the last
/// request.
public struct TransferTiming: Hashable, Sendable {
    /// The time of the host name lookup.
    public var nameLookup: Duration = .zero
    /// The time of the TCP or QUIC connect, after the lookup.
    public var connect: Duration = .zero
    /// The time of the TLS handshake, after the connect.
    public var tlsHandshake: Duration = .zero
    /// The time from the start of the request to the first byte of the response, all other times included.
    public var firstByte: Duration = .zero
    /// Whether an existing connection was used. Lookup, connect and handshake then took no time.
    public var isReused = false

    /// Creates times of zero.
    public init() {}
}
