public import HTTPTypes
public import ImageCore

/// Adds header fields to every request that does not have them itself.
///
/// They are sent to every host that a URL names. Use ``BearerTokenInterceptor`` for credentials: it has a list of hosts.
///
/// ```swift
/// let defaults = DefaultHeadersInterceptor([.userAgent: "Example/1.0", .acceptLanguage: "en"])
/// ```
public struct DefaultHeadersInterceptor: RequestInterceptor {
    private let fields: HTTPFields
    private let identity: String?

    /// Makes an interceptor that adds these fields.
    public init(_ fields: HTTPFields) {
        self.fields = fields
        let changing = fields.filter { !["user-agent", "referer", "connection"].contains($0.name.canonicalName) }
        let texts = changing.map { "\($0.name.canonicalName): \($0.value)" }.sorted()
        identity = texts.isEmpty ? nil : texts.joined(separator: "\n")
    }

    /// The fields, except for those that never change a response, such as `User-Agent`.
    public func identity(for url: URL) -> String? { identity }

    /// Sends the request with the fields that it does not have.
    public func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        var changed = request
        let missing = fields.filter { request.headerFields[$0.name] == nil }
        for field in missing { changed.headerFields.append(field) }
        return try await next(changed)
    }
}

/// Adds the header fields that sign a request, which may be computed asynchronously.
///
/// In the standard wiring it belongs among `StandardConfiguration.networkInterceptors`: outside the cache, a signature that differs
/// each time would give every request its own cache entry.
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
    ///   - identity: names the user, or whatever else of the signature changes the response; `nil`, the default, if all signatures
    ///     get the same response.
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

/// The simple form of an interceptor: one closure before each request, one after the headers of each response.
///
/// ```swift
/// let counting = BeforeAfterInterceptor(after: { request, response in print(response.head.status) })
/// ```
public struct BeforeAfterInterceptor: RequestInterceptor {
    private let before: @Sendable (inout DataRequest) async throws -> Void
    private let after: @Sendable (DataRequest, inout DataResponse) async throws -> Void

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - before: may change the request within what ``InterceptedLoader`` allows, or throw to end the load.
    ///   - after: gets the request as it was sent and may change the response. It is not called for a load that fails.
    public init(
        before: @escaping @Sendable (inout DataRequest) async throws -> Void = { _ in },
        after: @escaping @Sendable (DataRequest, inout DataResponse) async throws -> Void = { _, _ in }
    ) {
        self.before = before
        self.after = after
    }

    /// Calls `before`, sends the request, and calls `after`.
    public func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        var changed = request
        try await before(&changed)
        var response = try await next(changed)
        try await after(changed, &response)
        return response
    }
}
