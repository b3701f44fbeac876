public import ImageCore

/// Writes a line for every fetch when it has ended, except for cancelled ones.
///
/// ```swift
/// let logging = LoggingInterceptor { print($0) }
/// ```
public struct LoggingInterceptor: RequestInterceptor {
    private let metrics: TransferMetricsInterceptor

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - hidesQueries: whether values in the query of a URL, which may be secrets, are left out; `true` by default.
    ///   - log: gets a ``TransferRecord`` as text, without credentials.
    public init(hidesQueries: Bool = true, _ log: @escaping @Sendable (String) -> Void) {
        metrics = TransferMetricsInterceptor(hidesQueries: hidesQueries) { record in
            if record.ending != .cancelled { log(record.description) }
        }
    }

    /// Sends the request unchanged, and logs the fetch when it has ended.
    public func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        try await metrics.intercept(request, next: next)
    }
}
