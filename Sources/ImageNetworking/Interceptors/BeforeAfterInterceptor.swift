public import ImageCore

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
