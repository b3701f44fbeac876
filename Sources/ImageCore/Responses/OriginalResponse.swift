public import HTTPTypes

/// The response of a server that an image was made from: what is known of it without its body.
public struct OriginalResponse: Hashable, Sendable {
    /// The URL of the response, after redirects; `nil` for a response from a cache that does not know where the
    /// redirects led.
    public var url: URL?
    /// The status.
    public var status: HTTPResponse.Status
    /// The header fields, without `Set-Cookie`. Those of an image that was stored as a finished image have no
    /// `Content-Type`, since they had that of the stored file.
    public var headerFields: HTTPFields

    /// Creates a response, without the `Set-Cookie` fields, which may hold credentials.
    ///
    /// - Parameters:
    ///   - url: the URL after redirects; `nil` if it is not known.
    ///   - status: the status; 200 by default.
    ///   - headerFields: the header fields; none by default.
    public init(url: URL?, status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:]) {
        (self.url, self.status, self.headerFields) = (url, status, headerFields)
        self.headerFields[.setCookie] = nil
    }
}
