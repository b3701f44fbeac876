import ImageCore
import Testing

@testable import ImageNetworkingCurl

@Suite struct CurlFailureMessages {
    private func failure(code: UInt32, isConnected: Bool = true) -> ImageError {
        CurlFailure(
            code: code, detail: "detail", source: "http://a/b", host: "a", connectTimeout: .milliseconds(1500),
            isConnected: isConnected
        ).error
    }

    @Test(arguments: [
        (UInt32(6), ImageError.Code.hostNotFound), (5, .hostNotFound), (7, .connectionFailed), (35, .insecure), (60, .insecure),
        (28, .timedOut),
        (52, .connectionLost), (18, .connectionLost), (56, .connectionLost), (92, .connectionLost), (16, .connectionLost),
        (8, .badResponse), (61, .badResponse), (23, .badResponse),
        (1, .badResponse),
        (3, .invalidRequest), (9999, .badResponse),
    ])
    func eachFailureHasItsCodeAndKeepsTheCause(_ code: UInt32, _ expected: ImageError.Code) {
        #expect(failure(code: code).code == expected)
        #expect(failure(code: code).causes == ["detail"])
    }

    /// libcurl has no text for some errors.
    @Test func withoutATextTheCauseIsTheNumber() {
        let failure = CurlFailure(
            code: 56, detail: "", source: "http://a/b", host: "a", connectTimeout: .zero, isConnected: true)
        #expect(failure.error.causes == ["libcurl error 56"])
    }

    /// libcurl takes whole milliseconds.
    @Test func fractionsOfASecondReachTheTransport() {
        #expect(Duration.milliseconds(1500).inMilliseconds == 1500)
        #expect(Duration.microseconds(2_999_900).inMilliseconds == 2999)
        #expect([Duration.zero, .nanoseconds(1), .seconds(-1)].map(\.inMilliseconds) == [1, 1, 1])
    }

    /// libcurl 7.88 reports a header line that is too long as out of memory.
    @Test func outOfMemoryAfterConnectingIsABadResponse() {
        #expect(failure(code: 27).code == .badResponse)
        #expect(failure(code: 27, isConnected: false).code == .connectionFailed)
    }

    @Test func aMalformedRedirectURLIsABadResponse() {
        var failure = CurlFailure(
            code: 3, detail: "", source: "http://a/b", host: "a", connectTimeout: .zero, isConnected: false)
        #expect(failure.error.code == .invalidRequest)
        failure.isRedirected = true
        #expect(failure.error.code == .badResponse)
    }

    @Test func theMessageNamesTheTimeLimitOfTheConnection() {
        #expect(
            failure(code: 28, isConnected: false).message
                == "Could not connect to “a” to load http://a/b within the connect timeout of 1.5 s. "
                + "Raise transport.connectTimeout to wait longer.")
    }
}
