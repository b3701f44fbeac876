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

/// Says in this framework's words what went wrong in the client's, so that retry and resumption know what is worth while.
struct ErrorTranslation: Sendable {
    /// As sentences name it: without credentials.
    private let source: String

    init(_ url: URL) { source = ImageSource.redacted(url) }

    func tooLarge(_ limit: Int) -> ImageError {
        ImageError(.tooLarge, message: "The response to \(source) is larger than the \(limit) bytes that are accepted.")
    }

    func imageError(for error: any Error) -> any Error {
        switch error {
        case is ImageError, is CancellationError: error
        case let error as HTTPClientError where error == .cancelled: CancellationError()
        case let error as HTTPClientError: imageError(for: error)
        case let error as NIOConnectionError where error.dnsAError != nil || error.dnsAAAAError != nil:
            ImageError(.hostNotFound, message: "The host of \(source) is not known.", causes: [String(describing: error)])
        case is NIOConnectionError: notReached(error)
        case let error as IOError where [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode): notReached(error)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            ImageError(.insecure, message: "The connection for \(source) is not secure.", causes: [String(describing: error)])
        case HTTPParserError.invalidEOFState:
            ImageError(.connectionLost, message: "The response to \(source) broke off.")
        case is HTTPParserError, is ByteToMessageDecoderError:
            ImageError(.badResponse, message: "What was answered to \(source) is no HTTP.", causes: [String(describing: error)])
        default:
            ImageError(.connectionLost, message: "The connection for \(source) broke.", causes: [String(describing: error)])
        }
    }

    private func notReached(_ error: any Error) -> ImageError {
        ImageError(.connectionFailed, message: "The host of \(source) could not be reached.", causes: [String(describing: error)])
    }

    private func imageError(for error: HTTPClientError) -> ImageError {
        let (code, message): (ImageError.Code, String) =
            switch error {
            case .deadlineExceeded, .readTimeout, .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
                (.timedOut, "took too long")
            case .redirectLimitReached, .redirectCycleDetected: (.tooManyRedirects, "was redirected too often")
            case .invalidURL, .emptyHost, .emptyScheme: (.invalidRequest, "is no valid address")
            case .remoteConnectionClosed, .uncleanShutdown: (.connectionLost, "broke off")
            default: (.badResponse, "was not answered as it should be")
            }
        return ImageError(code, message: "The request for \(source) \(message).", causes: [error.shortDescription])
    }
}
