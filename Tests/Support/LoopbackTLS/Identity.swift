internal import CCalotypeLoopbackTLS
internal import ImageCore
package import LoopbackHTTP

extension LoopbackServer {
    /// The private key and the self-signed certificate of a server with TLS. Both are public: trust them only in tests.
    ///
    /// TLS uses OpenSSL 3, which is loaded at run time; libcurl depends on it on Linux.
    // @unchecked because OpenSSL allows a context to be shared by threads.
    @safe package final class Identity: ConnectionSecurity, @unchecked Sendable {
        /// The certificates that a server can use.
        package enum Certificate: Sendable {
            /// A certificate of `127.0.0.1`.
            case valid
            /// A certificate of `127.0.0.1` that has expired.
            case expired
            /// A certificate of `example.org`.
            case otherHost
        }

        /// The certificate in PEM (RFC 7468), for clients that shall trust it.
        package let certificate: String

        private let tls: OpaquePointer

        /// Makes an identity. Returns `nil` without OpenSSL 3.
        ///
        /// - Parameters:
        ///   - certificate: The certificate. By default a valid one.
        ///   - protocolName: The protocol that the server selects when the client offers it (ALPN, RFC 7301), such as
        ///     `h2`. By default the server selects none.
        package init?(_ certificate: Certificate = .valid, protocolName: String? = nil) {
            guard let bytes = Data(base64Encoded: certificate.base64), let key = Data(base64Encoded: Certificate.key),
                let tls = unsafe bytes.withUnsafeBytes({ bytes in
                    unsafe key.withUnsafeBytes { key in
                        unsafe clt_tls_create(bytes.baseAddress, bytes.count, key.baseAddress, key.count, protocolName)
                    }
                })
            else { return nil }
            unsafe self.tls = tls
            let text = bytes.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            self.certificate = "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
        }

        deinit { unsafe clt_tls_free(tls) }

        package func accept(_ socket: Int32) -> (any SecureStream)? {
            unsafe clt_tls_accept(tls, socket).map { unsafe TLSStream($0) }
        }
    }
}

// Made with `openssl ecparam -name prime256v1` and `openssl ca -selfsign`. All certificates have the same key.
extension LoopbackServer.Identity.Certificate {
    fileprivate var base64: String {
        switch self {
        case .valid:
            """
            MIIBbTCCARKgAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFDYWxvdHlwZSBsb29wYmFjazAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEw\
            MTAwMDAwMFowHDEaMBgGA1UEAwwRQ2Fsb3R5cGUgbG9vcGJhY2swWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQOhmKl8cOWl+nVfI6awiBR2u8s\
            4bjWyvCu5J8WKHvMxeslAGBy674bt8YeIQQOyC6dyiVc9knmRYFKX5pW6bo0o0MwQTAPBgNVHREECDAGhwR/AAABMA8GA1UdEwEB/wQFMAMBAf8w\
            HQYDVR0OBBYEFAUvJDAlzoaxaQoZalIbcpxY/vVoMAoGCCqGSM49BAMCA0kAMEYCIQC5hj6EW4ii4QK/5jD5audNpkHak/7b4oomKIfiuPWBrAIh\
            ANYtrAaB7oqaMoy460QEyuhkSpCLF9NPaWwTLLPhV6hQ
            """
        case .expired:
            """
            MIIBajCCARCgAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFDYWxvdHlwZSBsb29wYmFjazAeFw0yMDAxMDEwMDAwMDBaFw0yMTAxMDEw\
            MDAwMDBaMBwxGjAYBgNVBAMMEUNhbG90eXBlIGxvb3BiYWNrMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEDoZipfHDlpfp1XyOmsIgUdrvLOG4\
            1srwruSfFih7zMXrJQBgcuu+G7fGHiEEDsguncolXPZJ5kWBSl+aVum6NKNDMEEwDwYDVR0RBAgwBocEfwAAATAPBgNVHRMBAf8EBTADAQH/MB0G\
            A1UdDgQWBBQFLyQwJc6GsWkKGWpSG3KcWP71aDAKBggqhkjOPQQDAgNIADBFAiB+kSad/87pbVa60EVVeRlEQFLtRHM8c5eIkIyBCdb92AIhAOkv\
            XyPu8Rv6x0VxfSGyg2/W9QQlQEH2VZXSiw69fvP6
            """
        case .otherHost:
            """
            MIIBcjCCARmgAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFDYWxvdHlwZSBsb29wYmFjazAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEw\
            MTAwMDAwMFowHDEaMBgGA1UEAwwRQ2Fsb3R5cGUgbG9vcGJhY2swWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQOhmKl8cOWl+nVfI6awiBR2u8s\
            4bjWyvCu5J8WKHvMxeslAGBy674bt8YeIQQOyC6dyiVc9knmRYFKX5pW6bo0o0owSDAWBgNVHREEDzANggtleGFtcGxlLm9yZzAPBgNVHRMBAf8E\
            BTADAQH/MB0GA1UdDgQWBBQFLyQwJc6GsWkKGWpSG3KcWP71aDAKBggqhkjOPQQDAgNHADBEAiB+149Bl1bl1sJqNvg7A6m+7iknE2SjApHpis6b\
            I3bcqAIgKgFrvd44egpnnSsh4ozaL8lsKEjrt0mhzc1rgYTGqKo=
            """
        }
    }

    fileprivate static let key = """
        MHcCAQEEIAz5iIQVil1LVuO8fAPyXLV9qfj4F4w9T/eH7SuJTC0GoAoGCCqGSM49AwEHoUQDQgAEDoZipfHDlpfp1XyOmsIgUdrvLOG41srwruSf\
        Fih7zMXrJQBgcuu+G7fGHiEEDsguncolXPZJ5kWBSl+aVum6NA==
        """
}

/// A TLS connection. Only the connection's thread may use it.
@safe final class TLSStream: SecureStream, @unchecked Sendable {  // because only the thread of its connection calls it
    private let pointer: OpaquePointer

    fileprivate init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe clt_tls_close(pointer) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        unsafe clt_tls_read(pointer, buffer.baseAddress, buffer.count)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int { unsafe clt_tls_write(pointer, bytes.baseAddress, bytes.count) }

    var hasEnded: Bool { unsafe clt_tls_has_ended(pointer) != 0 }

    func end() { unsafe clt_tls_end(pointer) }
}
