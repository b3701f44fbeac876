import ImageCore

/// Loads the bytes of `__name__:` URLs, such as `__name__://album/cat.jpg`.
public struct __Type__: DataLoading {
    /// Creates a layer.
    public init() {}

    public func load(_ request: DataRequest) async throws -> DataResponse {
        guard request.url.scheme == "__name__" else {
            throw ImageError(.unsupportedScheme, message: "__Type__ loads URLs of the scheme __name__ only.")
        }
        // Find the resource, and throw an ImageError of the code `notFound` if there is none. What blocks runs in a
        // ThreadPool. Check `request.maximumResponseBytes` before you read. Then return a response:
        // DataResponse(url: request.url, body: ByteStream(data))
        throw ImageError(.plugInFailed, message: "__Type__ loads nothing yet: write load(_:) first.")
    }
}
