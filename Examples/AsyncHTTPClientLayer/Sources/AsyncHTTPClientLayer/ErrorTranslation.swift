import AsyncHTTPClient
import ImageCore
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Translates the client's errors into ``ImageError``, whose codes decide whether a request is retried or resumed.
struct ErrorTranslation: Sendable {
    /// The URL without credentials, for messages.
    private let source: String

    init(_ url: URL) { source = ImageSource.redacted(url) }

    func tooLarge(_ limit: Int) -> ImageError {
        ImageError(
            .tooLarge,
            message: "The response to \(source) is too large; the limit is \(limit) bytes. Raise maximumResponseBytes to load it."
        )
    }

    func imageError(for error: any Error) -> any Error {
        switch error {
        case is ImageError, is CancellationError: error
        case let error as HTTPClientError where error == .cancelled: CancellationError()
        case let error as HTTPClientError: imageError(for: error)
        case let error as NIOConnectionError where error.dnsAError != nil || error.dnsAAAAError != nil:
            ImageError(.hostNotFound, message: "The host of \(source) was not found.", causes: [String(describing: error)])
        case is NIOConnectionError: connectionFailed(error)
        case let error as IOError where [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode):
            connectionFailed(error)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            ImageError(
                .insecure, message: "The TLS connection for \(source) failed. Check the certificate of the server.",
                causes: [String(describing: error)])
        case HTTPParserError.invalidEOFState:
            ImageError(.connectionLost, message: "The connection closed before the response to \(source) was complete.")
        case is HTTPParserError, is ByteToMessageDecoderError:
            ImageError(
                .badResponse, message: "\(source) returned a malformed HTTP response.", causes: [String(describing: error)])
        default:
            ImageError(.connectionLost, message: "The connection for \(source) was lost.", causes: [String(describing: error)])
        }
    }

    private func connectionFailed(_ error: any Error) -> ImageError {
        ImageError(.connectionFailed, message: "The host of \(source) could not be reached.", causes: [String(describing: error)])
    }

    private func imageError(for error: HTTPClientError) -> ImageError {
        let (code, message): (ImageError.Code, String) =
            switch error {
            case .deadlineExceeded, .readTimeout, .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
                (.timedOut, "timed out")
            case .redirectLimitReached, .redirectCycleDetected: (.tooManyRedirects, "was redirected too many times")
            case .invalidURL, .emptyHost, .emptyScheme: (.invalidRequest, "has an invalid URL")
            case .remoteConnectionClosed, .uncleanShutdown: (.connectionLost, "failed, because the connection was closed")
            default: (.badResponse, "got an invalid response")
            }
        return ImageError(code, message: "The request for \(source) \(message).", causes: [error.shortDescription])
    }
}
