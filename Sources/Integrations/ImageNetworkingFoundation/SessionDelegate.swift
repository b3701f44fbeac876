internal import Foundation
internal import HTTPTypes
internal import ImageCore

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Passes each report of the session on to its transfer.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private struct Running {
        let transfer: SessionTransfer
        /// Keeps the session until it has ended the transfer: on Linux, the process crashes when a session is ended
        /// while it waits for its delegate.
        let lease: SessionLease
    }

    private let running = Lock<[Int: Running]>([:])
    private let challengeHandler: (@Sendable (URLAuthenticationChallenge) -> URLSessionLoader.ChallengeAnswer)?

    init(_ challengeHandler: (@Sendable (URLAuthenticationChallenge) -> URLSessionLoader.ChallengeAnswer)?) {
        self.challengeHandler = challengeHandler
    }

    func add(_ transfer: SessionTransfer, _ identifier: Int, lease: SessionLease) {
        running.withLock { $0[identifier] = Running(transfer: transfer, lease: lease) }
    }

    /// Removes and returns a transfer; later reports for its task are ignored.
    @discardableResult
    func remove(_ identifier: Int) -> SessionTransfer? { running.withLock { $0.removeValue(forKey: identifier) }?.transfer }

    private func transfer(_ task: URLSessionTask) -> SessionTransfer? {
        let identifier = task.taskIdentifier
        return running.withLock { $0[identifier]?.transfer }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let transfer = transfer(dataTask) else { return }
        transfer.whileUndecided {
            // Before the reader gets the response headers, since it might cancel the transfer.
            completionHandler(.allow)
            // On Linux interim responses come this way too.
            if let response = response as? HTTPURLResponse, !(100..<200 ~= response.statusCode) {
                transfer.receive(SessionTransfer.Head(url: response.url ?? transfer.url, response: Self.head(of: response)))
            }
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfer(dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        transfer(task)?.timer.noteProgress()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let transfer = remove(task.taskIdentifier) else { return }
        transfer.complete(error.map { Self.imageError(for: $0, source: transfer.source, host: transfer.url.host() ?? "") })
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let transfer = transfer(task) else { return }
        transfer.whileUndecided {
            let losesCookies =
                response.value(forHTTPHeaderField: "Set-Cookie") != nil && task.originalRequest?.httpShouldHandleCookies == false
            if let problem = Self.problem(
                with: request, redirects: transfer.redirected(by: Self.head(of: response)), losesCookies: losesCookies, transfer)
            {
                completionHandler(nil)
                return transfer.fail(problem)
            }
            var next = request
            if request.url?.origin != response.url?.origin {
                let fields = request.allHTTPHeaderFields ?? [:]
                // Fields that may be credentials are not sent to another origin.
                for name in fields.keys where !RequestFields.mayReachAnotherOrigin(name.lowercased()) {
                    next.setValue(nil, forHTTPHeaderField: name)
                }
            }
            #if canImport(FoundationNetworking)
                // On Linux the session neither stores the cookies of a redirect nor sends any after it.
                if let jar = session.configuration.httpCookieStorage, task.originalRequest?.httpShouldHandleCookies == true,
                    let fields = response.allHeaderFields as? [String: String], let from = response.url, let to = next.url
                {
                    jar.setCookies(
                        HTTPCookie.cookies(withResponseHeaderFields: fields, for: from), for: from, mainDocumentURL: nil)
                    for (name, value) in HTTPCookie.requestHeaderFields(with: jar.cookies(for: to) ?? []) {
                        next.setValue(value, forHTTPHeaderField: name)
                    }
                }
            #endif
            completionHandler(next)
        }
    }

    // TLS belongs to the session, passwords to a task.

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let answer = challengeHandler?(challenge) ?? (.performDefaultHandling, nil)
        completionHandler(answer.0, answer.1)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        var answer = challengeHandler?(challenge) ?? (.performDefaultHandling, nil)
        #if canImport(FoundationNetworking)
            // On Linux, a task never ends if it has no credential for this handling. Its response is complete already.
            if answer.0 == .performDefaultHandling, challenge.proposedCredential == nil {
                transfer(task)?.complete(nil)
                answer.0 = .cancelAuthenticationChallenge
            }
        #endif
        completionHandler(answer.0, answer.1)
    }

    private static func problem(
        with request: URLRequest, redirects: Int, losesCookies: Bool, _ transfer: SessionTransfer
    ) -> ImageError? {
        guard redirects <= RedirectLimit.standard else {
            return ImageError(
                .tooManyRedirects,
                message: "\(transfer.source) was redirected more than \(RedirectLimit.standard) times."
                    + (losesCookies ? RedirectLimit.cookieHint : ""))
        }
        let scheme = request.url?.scheme?.lowercased() ?? ""
        guard scheme == "http" || scheme == "https" else {
            return ImageError(
                .badResponse,
                message:
                    "\(transfer.source) was redirected to the scheme “\(scheme)”; only http and https are followed.")
        }
        return nil
    }

    static func head(of response: HTTPURLResponse) -> HTTPResponse {
        var head = HTTPResponse(status: HTTPResponse.Status(code: response.statusCode))
        for (name, value) in response.allHeaderFields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else { continue }
            head.headerFields.append(HTTPField(name: name, value: value))
        }
        return head
    }

    /// The session's errors, sorted by who can act.
    static func imageError(for error: any Error, source: String, host: String) -> ImageError {
        let causes = [(error as NSError).localizedDescription]
        func make(_ code: ImageError.Code, _ message: String) -> ImageError { ImageError(code, message: message, causes: causes) }
        guard let code = (error as? URLError)?.code else {
            return make(.connectionLost, "The transfer of \(source) failed.")
        }
        // On Linux TLS errors have no separate code, only libcurl's message.
        let isAboutTLS = causes[0].hasPrefix("SSL") || causes[0].contains("certificate")
        switch code {
        case _ where isAboutTLS, .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            return make(
                .insecure,
                "Could not make a secure connection to “\(host)” to load \(source): its certificate or TLS was rejected.")
        case .cannotFindHost, .dnsLookupFailed:
            return make(
                .hostNotFound, "The host “\(host)” of \(source) was not found; check its spelling and the network connection.")
        case .cannotConnectToHost, .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
            return make(.connectionFailed, "Could not connect to “\(host)” to load \(source).")
        case .timedOut: return make(.timedOut, "“\(host)” did not respond to \(source) in time.")
        case .cancelled, .userCancelledAuthentication:
            // The transfers that the loader cancels have ended before, so the challenge handler cancelled this one.
            return make(.insecure, "The app rejected “\(host)”, which is needed to load \(source).")
        case .httpTooManyRedirects: return make(.tooManyRedirects, "\(source) was redirected too many times.")
        case .badURL, .unsupportedURL: return make(.invalidRequest, "\(source) is not a valid URL.")
        case .badServerResponse, .cannotParseResponse, .redirectToNonExistentLocation, .zeroByteResource:
            return make(.badResponse, "“\(host)” returned a malformed HTTP response to \(source).")
        default:
            return make(.connectionLost, "The connection to “\(host)” was lost before the response to \(source) was complete.")
        }
    }
}
