import Foundation
import ImageCore
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@testable import ImageNetworkingFoundation

@Suite struct SessionErrors {
    private func error(_ error: any Error) -> ImageError {
        SessionDelegate.imageError(for: error, source: "http://a/b", host: "a")
    }

    @Test(arguments: [
        (URLError.Code.secureConnectionFailed, ImageError.Code.insecure), (.serverCertificateUntrusted, .insecure),
        (.appTransportSecurityRequiresSecureConnection, .insecure), (.cancelled, .insecure),
        (.userCancelledAuthentication, .insecure),
        (.cannotFindHost, .hostNotFound), (.dnsLookupFailed, .hostNotFound),
        (.cannotConnectToHost, .connectionFailed), (.notConnectedToInternet, .connectionFailed),
        (.timedOut, .timedOut), (.httpTooManyRedirects, .tooManyRedirects),
        (.badURL, .invalidRequest), (.unsupportedURL, .invalidRequest),
        (.badServerResponse, .badResponse), (.cannotParseResponse, .badResponse),
        (.networkConnectionLost, .connectionLost), (.unknown, .connectionLost),
    ])
    func eachErrorOfTheSessionHasItsCodeAndKeepsTheCause(_ code: URLError.Code, _ expected: ImageError.Code) {
        #expect(error(URLError(code)).code == expected)
        #expect(error(URLError(code)).causes == [URLError(code).localizedDescription])
        #expect(error(URLError(code)).message.contains("http://a/b"))
    }

    /// On Linux the session reports TLS by libcurl's text.
    @Test func anErrorAboutTLSIsKnownByItsText() {
        for text in ["SSL connect error", "server certificate verification failed"] {
            let failed = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: text])
            #expect(error(failed).code == .insecure && error(failed).causes == [text])
        }
    }

    @Test func anErrorOfAnotherKindIsALostConnection() {
        #expect(error(CocoaError(.fileReadUnknown)).code == .connectionLost)
    }
}
