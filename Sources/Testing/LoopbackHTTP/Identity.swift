internal import CCalotypeLoopbackTLS

extension LoopbackServer {
    /// The private key and the self-signed certificate of a server with TLS.
    ///
    /// TLS uses OpenSSL 3, which is loaded at run time; libcurl depends on it on Linux.
    @safe public final class Identity: @unchecked Sendable {  // because OpenSSL allows a context to be shared by threads
        /// The certificate in PEM, for clients that shall trust it.
        public let certificate: String

        private let tls: OpaquePointer

        /// Makes a key and a certificate. Returns `nil` without OpenSSL 3.
        ///
        /// - Parameters:
        ///   - host: The host name or IP address of the certificate. By default `127.0.0.1`.
        ///   - isExpired: Whether the certificate has expired. By default `false`.
        ///   - protocolName: The protocol that the server selects when the client offers it (ALPN, RFC 7301), such as `h2`. By default
        ///     the server selects none.
        public init?(host: String = "127.0.0.1", isExpired: Bool = false, protocolName: String? = nil) {
            let isAddress = host.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == 0x2E } || host.utf8.contains(UInt8(ascii: ":"))
            let day = 86_400
            guard
                let tls = unsafe calotype_tls_create(
                    (isAddress ? "IP:" : "DNS:") + host, -2 * day, isExpired ? -day : day, protocolName)
            else { return nil }
            unsafe self.tls = tls
            var count = 0
            let start = unsafe calotype_tls_certificate(tls, &count)
            certificate = Self.pem(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
        }

        deinit { unsafe calotype_tls_free(tls) }

        /// Performs the TLS handshake. Returns `nil` when it fails, for example because the client rejects the certificate.
        func accept(_ socket: Int32) -> TLSStream? { unsafe calotype_tls_accept(tls, socket).map { unsafe TLSStream($0) } }

        /// Encodes a certificate as PEM (RFC 7468).
        private static func pem(_ bytes: [UInt8]) -> String {
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
            var text = ""
            for start in stride(from: 0, to: bytes.count, by: 3) {
                if start > 0, start % 48 == 0 { text.append("\n") }
                let group = Array(bytes[start..<min(start + 3, bytes.count)])
                let bits = (0..<3).reduce(0) { $0 << 8 | ($1 < group.count ? Int(group[$1]) : 0) }
                for digit in 0..<4 { text.append(digit <= group.count ? alphabet[bits >> (18 - 6 * digit) & 63] : "=") }
            }
            return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
        }
    }
}

/// A TLS connection. Only the connection's thread may use it.
@safe final class TLSStream: @unchecked Sendable {  // because only the thread of its connection calls it
    private let pointer: OpaquePointer

    fileprivate init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe calotype_tls_close(pointer) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        unsafe calotype_tls_read(pointer, buffer.baseAddress, buffer.count)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int { unsafe calotype_tls_write(pointer, bytes.baseAddress, bytes.count) }

    var hasEnded: Bool { unsafe calotype_tls_has_ended(pointer) != 0 }

    func end() { unsafe calotype_tls_end(pointer) }
}
