internal import HTTPTypes
internal import ImageCore

/// One request of a chain of redirects, and what comes after it.
struct Hop: Sendable {
    /// The most redirects that are followed.
    static let mostRedirects = 10

    var address: WebAddress
    var method: HTTPRequest.Method
    var headerFields: HTTPFields
    var body: Data?
    /// Redirects so far.
    var redirects = 0

    /// The first request of a chain.
    init(_ request: DataRequest) throws(ImageError) {
        let text = request.url.absoluteString
        do {
            address = try WebAddress(text)
        } catch {
            throw error.imageError(for: ImageSource.redacted(request.url))
        }
        method = request.method
        headerFields = request.headerFields
        body = request.body
        if let credentials = address.credentials, headerFields[.authorization] == nil {
            headerFields[.authorization] = "Basic " + Self.decoded(credentials).base64EncodedString()
        }
        address.credentials = nil
    }

    /// The request that an answer of `status` sends to `url`, an absolute URL; `source` is named in errors.
    ///
    /// Credentials stay with their origin. A 303, and a 301 or 302 to a POST, asks again with GET (RFC 9110, section 15.4).
    func following(status: Int, to url: String, source: String) throws(ImageError) -> Hop {
        guard redirects < Self.mostRedirects else {
            throw ImageError(
                .tooManyRedirects,
                message: "\(source) was redirected more than \(Self.mostRedirects) times; the last address was \(address.text).")
        }
        var next = self
        do {
            next.address = try WebAddress(url)
        } catch {
            let reason =
                switch error {
                case .scheme(let scheme): "to the scheme “\(scheme)”, and only http and https are followed"
                case .host, .port: "to an address that is no valid URL"
                }
            throw ImageError(.badResponse, message: "\(source) was redirected \(reason).")
        }
        next.address.credentials = nil
        next.redirects += 1
        if next.address.origin != address.origin {
            for name in Self.originBound { next.headerFields[name] = nil }
        }
        if status == 303 && method != .head || (status == 301 || status == 302) && method == .post {
            next.method = .get
            next.body = nil
            for name in [HTTPField.Name.contentType, .contentEncoding, .contentLanguage, .contentLocation] {
                next.headerFields[name] = nil
            }
        }
        return next
    }

    /// What is left of a request's time limit for this hop: all of a chain's hops share one.
    func timeLeft(of limit: Duration, elapsed: Duration) -> Duration { redirects > 0 ? limit - elapsed : limit }

    private static func decoded(_ credentials: String) -> Data {
        Data(PercentEncoding.decode(credentials.utf8) ?? Array(credentials.utf8))
    }

    /// What is meant for one origin alone.
    private static let originBound: [HTTPField.Name] =
        [.authorization, .cookie, .proxyAuthorization] + [HTTPField.Name("Host")].compactMap { $0 }
}

extension WebAddress.Problem {
    fileprivate func imageError(for source: String) -> ImageError {
        switch self {
        case .scheme(let scheme):
            ImageError(.unsupportedScheme, message: "\(source) has the scheme “\(scheme)”, and this loader knows http and https.")
        case .host: ImageError(.invalidRequest, message: "\(source) names no valid host.")
        case .port: ImageError(.invalidRequest, message: "\(source) has a port that is not a number from 1 to 65535.")
        }
    }
}
