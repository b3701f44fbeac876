public import HTTPTypes

/// The response to a ``DataRequest``: status and header fields at once, the body as it arrives.
public struct DataResponse: Sendable {
    /// The URL of the response, after redirects.
    public var url: URL
    /// The status and the header fields. Sources other than HTTP servers have the status 200.
    public var head: HTTPResponse
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
