public import HTTPTypes

/// The response to a ``DataRequest``: status and header fields at once, the body as it arrives.
public struct DataResponse: Sendable {
    /// The URL of the response, after redirects.
    public var url: URL
    /// The status and the header fields. Sources other than HTTP servers have the status 200.
    public var head: HTTPResponse
    /// The responses that redirected the request, in order; empty without redirects, or if the network layer does not
    /// know them. A cache reads from them how long the redirects hold.
    public var redirects: [HTTPResponse] = []
    /// What a cache knows of the redirects.
    package var redirect: ResponseRedirect?
    /// The body, which can be read once.
    public var body: ByteStream
    /// Where the body comes from: the source, or the cache of a loader that has one.
    public var tier: CacheTier
    /// Stores the response with its whole body, or what a 304 says about the stored one; `nil` if there is nothing to
    /// store. A loader with a cache sets it if the request has ``DataRequest/defersStoring``. The caller calls it once
    /// the body has proved to be what it wants: a response that is no image then never replaces a stored one.
    public var commit: (@Sendable (_ body: Data) async throws -> Void)?
    /// How many attempts may follow, to complete the body or instead of this response; `nil` if no loader has counted
    /// them.
    package var retriesLeft: Int?
    /// How many attempts a retrying loader made before this response.
    public var retries = 0
    /// The times of the phases of the transfer; `nil` if the network layer does not measure them.
    public var timing: TransferTiming?

    /// Creates a response, by default with the status 200, no header fields and a body from the source.
    public init(
        url: URL, head: HTTPResponse = HTTPResponse(status: .ok), body: ByteStream, tier: CacheTier = .network,
        timing: TransferTiming? = nil
    ) {
        (self.url, self.head, self.body, self.tier, self.timing) = (url, head, body, tier, timing)
    }

    /// The length of the body in bytes, by its `Content-Length` or by the data that is already in memory; `nil` if it
    /// is unknown.
    public var expectedBytes: Int? {
        head.headerFields[.contentLength].flatMap(ContentLength.bytes) ?? body.wholeData?.count
    }
}

/// Where redirects led, and how long they hold, as a cache remembers it. Digests, because the URL may be signed.
package struct ResponseRedirect: Hashable, Sendable {
    /// A digest of the final URL.
    package var target: String
    /// A digest of the final URL without its query, which changes when a URL gets a new signature.
    package var place: String
    /// Until when the redirects may be reused, in seconds since 1970; 0 if they may not.
    package var freshUntil: Double

    package init(target: String, place: String, freshUntil: Double) {
        (self.target, self.place, self.freshUntil) = (target, place, freshUntil)
    }
}
