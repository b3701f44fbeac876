/// Encrypts the connections of a server. The kit has no implementation: the tests of this package bring TLS.
package protocol ConnectionSecurity: Sendable {
    /// Performs the handshake on a connected socket. Returns `nil` when it fails, for example because the client
    /// rejects the certificate.
    func accept(_ socket: Int32) -> (any SecureStream)?
}

/// The encrypted bytes of one connection, for its thread alone.
package protocol SecureStream: Sendable {
    /// Blocks until bytes arrive, and returns their number; 0 when the connection has ended.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Sends bytes, and returns the number of those that were sent; 0 when the connection has ended.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int
    /// Whether the client has ended the connection. Called only when the socket is readable.
    var hasEnded: Bool { get }
    /// Announces the end. The socket stays open.
    func end()
}
