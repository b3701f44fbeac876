internal import CCalotypeCurl
internal import ImageCore

/// What libcurl reports of a failed transfer, and the error to throw for it.
struct CurlFailure: Hashable {
    var code: UInt32
    /// libcurl's own message; may be empty.
    var detail: String
    /// The requested URL, as errors name it.
    var source: String
    var host: String
    var connectTimeout: Duration
    /// Whether there was a connection, TLS included.
    var isConnected: Bool
    /// Whether the URL that failed is the target of a redirect.
    var isRedirected = false
    /// The status with which a proxy answered the request for a tunnel; 0 without one.
    var proxyStatus = 0

    var error: ImageError {
        let causes = detail.isEmpty ? ["libcurl error \(code)"] : [detail]
        if proxyStatus >= 300, !isConnected {
            return ImageError(
                .connectionFailed,
                message:
                    "The proxy refused a connection to “\(host)” for \(source) with status \(proxyStatus). Check the proxy settings.",
                status: proxyStatus, causes: causes)
        }
        func make(_ code: ImageError.Code, _ message: String) -> ImageError { ImageError(code, message: message, causes: causes) }
        switch CURLcode(code) {
        case CURLE_COULDNT_RESOLVE_HOST:
            return make(
                .hostNotFound, "The host “\(host)” of \(source) was not found; check its spelling and the network connection.")
        case CURLE_COULDNT_RESOLVE_PROXY:
            return make(.hostNotFound, "The proxy for \(source) was not found; check the proxy settings.")
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED, CURLE_NO_CONNECTION_AVAILABLE:
            return make(.connectionFailed, "Could not connect to “\(host)” to load \(source).")
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
            return make(
                .insecure,
                "Could not make a secure connection to “\(host)” to load \(source): its certificate or TLS was rejected.")
        // The timeout of the request is the loop's.
        case CURLE_OPERATION_TIMEDOUT:
            return make(
                .timedOut,
                "Could not connect to “\(host)” to load \(source) within the connect timeout of \(connectTimeout.inSeconds). "
                    + "Raise transport.connectTimeout to wait longer.")
        // The second one is libcurl's for bytes after the end of coded data.
        case CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
            return .badCoding(of: source, host: host, causes: causes)
        case CURLE_GOT_NOTHING: return make(.connectionLost, "“\(host)” closed the connection without a response to \(source).")
        // The last two are errors of an HTTP/2 stream, or of its connection.
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND, CURLE_HTTP2_STREAM, CURLE_HTTP2:
            return make(.connectionLost, "The connection to “\(host)” was lost before the response to \(source) was complete.")
        case CURLE_URL_MALFORMAT where isRedirected:
            return make(.badResponse, "\(source) was redirected to an invalid URL.")
        case CURLE_URL_MALFORMAT: return make(.invalidRequest, "\(source) is not a valid URL.")
        // Older versions of libcurl report a header line longer than 100 KB as this.
        case CURLE_OUT_OF_MEMORY where isConnected:
            return make(
                .badResponse, "“\(host)” sent a header line for \(source) that is too long, or memory ran out.")
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT:
            return make(.connectionFailed, "There is not enough memory to load \(source).")
        default:
            return make(.badResponse, "“\(host)” returned a malformed HTTP response to \(source).")
        }
    }
}

extension ImageError {
    /// A body whose content codings cannot be undone.
    static func badCoding(of source: String, host: String, causes: [String] = []) -> ImageError {
        ImageError(
            .badResponse,
            message: "“\(host)” sent \(source) in a content coding that is unknown, or whose data is damaged or ends early.",
            causes: causes)
    }
}

extension Duration {
    /// Whole milliseconds, at least one: 0 means no limit to libcurl.
    var inMilliseconds: Int {
        let (seconds, attoseconds) = components
        let bounded = min(max(seconds, 0), 1_000_000_000)
        return max(1, Int(bounded) * 1000 + Int(max(attoseconds, 0) / 1_000_000_000_000_000))
    }
}
