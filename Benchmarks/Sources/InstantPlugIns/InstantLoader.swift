public import ImageCore

/// Responds to each request with the same byte, at once.
public struct InstantLoader: DataLoading {
    private let body = Data([0])

    public init() {}

    public func load(_ request: DataRequest) async throws -> DataResponse {
        DataResponse(url: request.url, body: ByteStream(body))
    }
}
