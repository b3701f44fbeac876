public import HTTPTypes

/// Decides whether finished images in the data cache may be used, by the rules for the responses that they were made
/// from.
///
/// The engine asks when it stores a finished image of an `http` or `https` URL, and when it finds one. Called from
/// tasks of the engine, at the same time, on no actor. A call only computes.
///
/// **Must not**: allow an image whose response must not be stored, or must be revalidated first.
public protocol ProcessedImageRules: Sendable {
    /// Returns the entry to store for an image, with what later decisions need; `nil` if it must not be stored.
    ///
    /// - Parameters:
    ///   - image: the encoded image, and its own header fields.
    ///   - source: the response that the image was made from.
    ///   - request: the request of that response.
    func entry(for image: DataEntry, madeFrom source: ResponseHead, to request: DataRequest) -> DataEntry?
    /// Decides about a stored image.
    func use(of image: DataEntry, for request: DataRequest) -> ProcessedImageUse
    /// Returns the entry after the server has confirmed the response that the image was made from; `nil` if the 304 is
    /// about another version, or if the image must no longer be stored. An entry with another ``DataEntry/storedAt``
    /// must be stored.
    func confirmed(_ image: DataEntry, by response: ResponseHead, to request: DataRequest) -> DataEntry?
    /// Until when an image may be served without asking the server, in seconds since 1970; by default for ever.
    ///
    /// - Parameter image: the entry that ``entry(for:madeFrom:to:)`` made.
    func freshUntil(of image: DataEntry) -> Double
    /// Whether a stale image may be used because the server failed.
    func allowsStaleUse(of image: DataEntry, for request: DataRequest, after error: ImageError) -> Bool
}

extension ProcessedImageRules {
    public func freshUntil(of image: DataEntry) -> Double { .infinity }
}

/// How a finished image in the data cache may be used.
public enum ProcessedImageUse: Hashable, Sendable {
    /// As it is.
    case serve
    /// As it is, while a request with these fields revalidates it in the background.
    case serveWhileRevalidating(HTTPFields)
    /// After a 304 to a request with these fields. After another response, the image is made again from that.
    case revalidate(HTTPFields)
    /// Not at all.
    case none
}

/// The response headers that an image was made from.
public struct ResponseHead: Hashable, Sendable {
    /// The URL of the response, after redirects.
    public var url: URL
    /// The status and the header fields.
    public var head: HTTPResponse
    /// Seconds since 1970 when the response arrived.
    public var receivedAt: Double

    /// What a cache knows of the redirects.
    package var redirect: ResponseRedirect?
    /// The responses that redirected the request (``DataResponse/redirects``).
    public var redirects: [HTTPResponse] = []

    /// Creates the headers of a response.
    ///
    /// - Parameters:
    ///   - url: the URL of the response, after redirects.
    ///   - head: the status and the header fields.
    ///   - receivedAt: seconds since 1970 when the response arrived.
    public init(url: URL, head: HTTPResponse, receivedAt: Double) {
        (self.url, self.head, self.receivedAt) = (url, head, receivedAt)
    }
}

extension DataResponse {
    /// The headers of the response.
    package func responseHead(receivedAt: Double) -> ResponseHead {
        var head = ResponseHead(url: url, head: head, receivedAt: receivedAt)
        (head.redirects, head.redirect) = (redirects, redirect)
        return head
    }
}
