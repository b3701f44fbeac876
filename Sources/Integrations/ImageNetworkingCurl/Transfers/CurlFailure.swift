internal import CCalotypeCurl
internal import ImageCore

/// What libcurl reports of a transfer that failed, and the error that this makes.
struct CurlFailure: Hashable {
    var code: UInt32
    /// libcurl's own words; may be empty.
    var detail: String
    /// The URL asked for, as errors name it.
    var source: String
    var host: String
    /// Since the transfer began.
    var elapsed: Duration
    var timeout: Duration
    var connectTimeout: Duration
    /// Whether there was a connection, TLS included.
    var isConnected: Bool
    /// Whether the URL that failed is a server's, and not the caller's.
    var isRedirected = false

    var error: ImageError {
        let causes = detail.isEmpty ? ["libcurl error \(code)"] : [detail]
        func make(_ code: ImageError.Code, _ message: String) -> ImageError { ImageError(code, message: message, causes: causes) }
        switch CURLcode(code) {
        case CURLE_COULDNT_RESOLVE_HOST:
            return make(.hostNotFound, "The host “\(host)” of \(source) has no address; check its spelling and the line.")
        case CURLE_COULDNT_RESOLVE_PROXY:
            return make(.hostNotFound, "The proxy for \(source) has no address; check the proxy settings.")
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED, CURLE_NO_CONNECTION_AVAILABLE:
            return make(.connectionFailed, "No connection to “\(host)” could be made for \(source).")
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
            return make(
                .insecure, "No secure connection to “\(host)” could be made for \(source): its certificate or TLS was refused.")
        case CURLE_OPERATION_TIMEDOUT: return make(.timedOut, timeoutMessage)
        case CURLE_GOT_NOTHING: return make(.connectionLost, "“\(host)” closed the connection without an answer to \(source).")
        // The last two: a stream, or a whole connection, of HTTP/2 that the server gave up.
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND, CURLE_HTTP2_STREAM, CURLE_HTTP2:
            return make(.connectionLost, "The connection to “\(host)” ended before the response to \(source) was whole.")
        case CURLE_URL_MALFORMAT where isRedirected:
            return make(.badResponse, "\(source) was redirected to an address that cannot be fetched.")
        case CURLE_URL_MALFORMAT: return make(.invalidRequest, "\(source) is not a URL that can be fetched.")
        // Older versions of libcurl say so of a header line that is longer than 100 KB.
        case CURLE_OUT_OF_MEMORY where isConnected:
            return make(
                .badResponse, "“\(host)” answered \(source) with a header line that is too long, or there was no memory left.")
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT:
            return make(.connectionFailed, "The system had no memory left for the transfer of \(source).")
        default:
            return make(.badResponse, "What “\(host)” answered to \(source) does not follow HTTP.")
        }
    }

    private var timeoutMessage: String {
        // libcurl counts in milliseconds, from a little later.
        if elapsed >= timeout - .milliseconds(5) {
            return "\(source) did not arrive within its time limit of \(timeout.inSeconds)."
        }
        if !isConnected { return "No connection to “\(host)” was made for \(source) within \(connectTimeout.inSeconds)." }
        return "“\(host)” fell silent before \(source) was whole."
    }
}

extension Duration {
    /// Whole milliseconds, at least one: libcurl takes none for no limit.
    var inMilliseconds: Int {
        let (seconds, attoseconds) = components
        let bounded = min(max(seconds, 0), 1_000_000_000)
        return max(1, Int(bounded) * 1000 + Int(max(attoseconds, 0) / 1_000_000_000_000_000))
    }
}
