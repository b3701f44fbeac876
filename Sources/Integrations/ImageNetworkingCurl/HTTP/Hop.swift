internal import HTTPTypes
internal import ImageCore
internal import ImageNetworking

/// One request of a chain of redirects.
struct Hop: Sendable {
    let address: WebAddress
    let method: HTTPRequest.Method
    let headerFields: HTTPFields
    let body: Data?
    /// Whether libcurl undoes content codings: those of the response before, br or zstd, which it alone can undo.
    var decodesByLibrary = false
    /// The responses that redirected so far.
    var redirects: [HTTPResponse] = []

    /// The first request of a chain.
    static func first(of request: DataRequest) throws(ImageError) -> Hop {
        let address = try WebAddress(request.url)
        return Hop(
            address: address, method: request.method, headerFields: request.transportFields, body: request.body)
    }

    /// The request that follows a redirect to `url`, an absolute URL; `source` is named in errors.
    ///
    /// Fields that may be credentials are not sent to another origin. A 303, and a 301 or 302 after a POST, continues
    /// with GET (RFC 9110, section 15.4, for both).
    func following(_ response: HTTPResponse, to url: String, source: String) throws(ImageError) -> Hop {
        guard redirects.count < RedirectLimit.standard else {
            // A query in an address that the server chose may hold a token.
            let last = address.text.prefix { $0 != "?" }
            throw ImageError(
                .tooManyRedirects,
                message: "\(source) was redirected more than \(RedirectLimit.standard) times; the last address was \(last).")
        }
        var next: WebAddress
        do {
            next = try WebAddress(url)
        } catch {
            let reason =
                switch error {
                case .scheme(let scheme): "to the scheme “\(scheme)”; only http and https are followed"
                case .host, .port: "to an invalid URL"
                }
            throw ImageError(.badResponse, message: "\(source) was redirected \(reason).")
        }
        next.credentials = nil
        var (method, headerFields, body) = (method, headerFields, body)
        let status = response.status.code
        if next.origin != address.origin {
            headerFields = HTTPFields(headerFields.filter { RequestFields.mayReachAnotherOrigin($0.name.canonicalName) })
        }
        if status == 303 && method != .head || (status == 301 || status == 302) && method == .post {
            (method, body) = (.get, nil)
            for name in [HTTPField.Name.contentType, .contentEncoding, .contentLanguage, .contentLocation] {
                headerFields[name] = nil
            }
        }
        return Hop(address: next, method: method, headerFields: headerFields, body: body, redirects: redirects + [response])
    }
}
