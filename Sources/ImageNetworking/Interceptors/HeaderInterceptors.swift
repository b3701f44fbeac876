public import HTTPTypes
public import ImageCore

/// Adds header fields to every request that does not have them itself.
///
/// They are sent to whatever host a URL names: for credentials take ``BearerTokenInterceptor``, which knows its hosts.
///
/// ```swift
/// let defaults = DefaultHeadersInterceptor([.userAgent: "Example/1.0", .acceptLanguage: "en"])
/// ```
public struct DefaultHeadersInterceptor: RequestInterceptor {
    private let fields: HTTPFields

    public init(_ fields: HTTPFields) { self.fields = fields }

    public func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        var changed = request
        let missing = fields.filter { request.headerFields[$0.name] == nil }
        for field in missing { changed.headerFields.append(field) }
        return try await next(changed)
    }
}

/// Adds the header fields that sign a request, which may take a while to find.
///
/// In the standard wiring it belongs among `StandardConfiguration.networkInterceptors`: outside of the cache, a signature that is never
/// the same twice would keep every answer apart from those before.
///
/// ```swift
/// let signing = SigningInterceptor { request in
///     [.authorization: "HMAC \(request.url.path.utf8.count)"]
/// }
/// ```
public struct SigningInterceptor: RequestInterceptor {
    private let sign: @Sendable (DataRequest) async throws -> HTTPFields

    /// - Parameter sign: returns the fields to set on a request; what it throws fails the load. Inside of a ``RetryingLoader``
    ///   it is called again for every try, so that a signature may carry the time.
    public init(_ sign: @escaping @Sendable (DataRequest) async throws -> HTTPFields) { self.sign = sign }

    public func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        var signed = request
        let fields = try await sign(request)
        for name in Set(fields.map(\.name)) { signed.headerFields[name] = nil }
        for field in fields { signed.headerFields.append(field) }
        return try await next(signed)
    }
}

/// The simple form of an interceptor: something before each request, something after each head.
///
/// ```swift
/// let counting = BeforeAfterInterceptor(after: { request, response in print(response.head.status) })
/// ```
public struct BeforeAfterInterceptor: RequestInterceptor {
    private let before: @Sendable (inout DataRequest) async throws -> Void
    private let after: @Sendable (DataRequest, inout DataResponse) async throws -> Void

    /// - Parameters:
    ///   - before: may change the request within what ``InterceptedLoader`` allows, or throw to end the load.
    ///   - after: gets the request as it was sent and may change the answer. A load that fails does not come by here.
    public init(
        before: @escaping @Sendable (inout DataRequest) async throws -> Void = { _ in },
        after: @escaping @Sendable (DataRequest, inout DataResponse) async throws -> Void = { _, _ in }
    ) {
        self.before = before
        self.after = after
    }

    public func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        var changed = request
        try await before(&changed)
        var response = try await next(changed)
        try await after(changed, &response)
        return response
    }
}
