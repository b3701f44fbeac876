public import HTTPTypes
public import ImageCore

/// Adds header fields to every request that does not have them itself.
///
/// They are sent to every host that a URL names. Use ``BearerTokenInterceptor`` for credentials: it has a list of
/// hosts.
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
