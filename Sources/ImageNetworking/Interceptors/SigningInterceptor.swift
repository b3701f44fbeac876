public import HTTPTypes
public import ImageCore

/// Adds the header fields that sign a request, which may be computed asynchronously.
///
/// In the standard wiring it belongs among `StandardConfiguration.networkInterceptors`: outside the cache, a signature
/// that differs each time would give every request its own cache entry.
///
/// ```swift
/// let signing = SigningInterceptor { request in
///     [.authorization: "HMAC \(request.url.path.utf8.count)"]
/// }
/// ```
public struct SigningInterceptor: RequestInterceptor {
    private let identity: String?
    private let sign: @Sendable (DataRequest) async throws -> HTTPFields

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - identity: names the user, or whatever else of the signature changes the response; `nil`, the default, if all
    ///     signatures get the same response.
    ///   - sign: returns the fields to set on a request; what it throws fails the load. Inside a ``RetryingLoader``
    ///     it is called for every attempt, so that a signature may contain the time.
    public init(identity: String? = nil, _ sign: @escaping @Sendable (DataRequest) async throws -> HTTPFields) {
        self.identity = identity
        self.sign = sign
    }

    /// The identity that was given.
    public func identity(for url: URL) -> String? { identity }

    /// Sends the request with the fields that sign it.
    public func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        var signed = request
        let fields = try await sign(request)
        for name in Set(fields.map(\.name)) { signed.headerFields[name] = nil }
        for field in fields { signed.headerFields.append(field) }
        return try await next(signed)
    }
}
