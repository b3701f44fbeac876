/// Puts ``RequestInterceptor``s around a loader, the first one outermost.
///
/// An interceptor may change the method, the header fields, the body and the time limit of a request, answer it, and call
/// on again. It may not change the URL, nor what the caller allowed (size limit, paid networks, whether the network is asked
/// at all, whether the answer is kept on disk): caches and coalescing go by the original. Such a change fails the load with
/// a message that names the right way.
///
/// The timeout of a request counts from where the network layer starts, without the time that interceptors take; the deadline
/// counts all of it. An interceptor that waits should wait no longer than until the deadline.
///
/// ```swift
/// struct Signing: RequestInterceptor {
///     func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
///         var signed = request
///         signed.headerFields[.authorization] = "Bearer 0123"
///         return try await next(signed)
///     }
/// }
/// struct Empty: DataLoading {
///     func load(_ request: DataRequest) async throws -> DataResponse { DataResponse(url: request.url, body: ByteStream(Data())) }
/// }
/// let loader = InterceptedLoader(Empty(), interceptors: [Signing()])
/// ```
public struct InterceptedLoader: DataLoading {
    private let loader: any DataLoading
    private let interceptors: [any RequestInterceptor]

    public init(_ loader: any DataLoading, interceptors: [any RequestInterceptor]) {
        self.loader = loader
        self.interceptors = interceptors
    }

    /// What the outermost interceptor returns.
    ///
    /// - Throws: ``ImageError/Code/plugInFailed`` for a change that is not allowed; what interceptors and loader throw.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        try await Self.load(request, through: interceptors[...], to: loader)
    }

    private static func load(
        _ request: DataRequest, through interceptors: ArraySlice<any RequestInterceptor>, to loader: any DataLoading
    ) async throws -> DataResponse {
        guard let interceptor = interceptors.first else { return try await loader.load(request) }
        let rest = interceptors.dropFirst()
        return try await interceptor.intercept(request) { changed in
            if let problem = problem(with: changed, from: request) {
                throw ImageError(
                    .plugInFailed,
                    message: "The interceptor \(type(of: interceptor)) \(problem).", source: ImageSource.redacted(request.url))
            }
            return try await load(changed, through: rest, to: loader)
        }
    }

    /// What is wrong with a change, as the end of a sentence; `nil` when it is allowed.
    private static func problem(with changed: DataRequest, from original: DataRequest) -> String? {
        if changed.url != original.url {
            return "changed the URL, which caches know the picture by; load another URL with a request of its own, or "
                + "register a loader for the scheme"
        }
        if (changed.maximumBytes ?? .max) > (original.maximumBytes ?? .max) {
            return "raised the size limit that the caller set; set maximumResponseBytes in the request's options"
        }
        if changed.allowsExpensiveNetwork, !original.allowsExpensiveNetwork {
            return
                "allowed networks that cost money, which the caller did not; set allowsExpensiveNetwork in the request's options"
        }
        if original.cachePolicy.isOnlyIfCached, !changed.cachePolicy.isOnlyIfCached {
            return "asked the network for what the caller wants from a cache only; set cachePolicy in the request's options"
        }
        if changed.cachePolicy.writesDisk, !original.cachePolicy.writesDisk {
            return "had the answer kept on disk, which the caller did not; set cachePolicy in the request's options"
        }
        return nil
    }
}
