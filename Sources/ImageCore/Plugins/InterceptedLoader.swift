/// Runs ``RequestInterceptor``s around a loader, the first one outermost.
///
/// An interceptor may change the method, the header fields, the body and the timeout of a request, return a response
/// itself, and call `next` more than once. It must not change the URL, and must not exceed what the caller allowed: the
/// size limit, the use of expensive networks, the use of the network at all, unconfirmed stored responses, and storing
/// on disk. Caches and coalescing use the original request, so such a change fails the load with a message that names
/// the option to set instead.
///
/// The timeout of a request holds in the network layer and excludes the time of interceptors; the
/// deadline includes it. An interceptor that waits should not wait beyond the deadline.
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
///     func load(_ request: DataRequest) async throws -> DataResponse {
///         DataResponse(url: request.url, body: ByteStream(Data()))
///     }
/// }
/// let loader = InterceptedLoader(Empty(), interceptors: [Signing()])
/// ```
public struct InterceptedLoader: DataLoading {
    private let loader: any DataLoading
    package let interceptors: [any RequestInterceptor]

    /// Creates a loader that runs interceptors around `loader`, the first one outermost.
    public init(_ loader: any DataLoading, interceptors: [any RequestInterceptor]) {
        self.loader = loader
        self.interceptors = interceptors
    }

    /// Runs the interceptors and returns the response of the outermost.
    ///
    /// - Throws: ``ImageError/Code/plugInFailed`` for a change that is not allowed; what the interceptors and the
    ///   loader throw.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        guard let interceptor = interceptors.first else { return try await loader.load(request) }
        let rest = InterceptedLoader(loader, interceptors: Array(interceptors.dropFirst()))
        return try await interceptor.intercept(request) { changed in
            if let problem = Self.problem(with: changed, from: request) {
                throw ImageError(
                    .plugInFailed,
                    message: "The interceptor \(type(of: interceptor)) \(problem).", source: ImageSource.redacted(request.url))
            }
            return try await rest.load(interceptor.marking(changed, from: request))
        }
    }

    public func version(of url: URL) -> String? { loader.version(of: url) }

    /// The end of a sentence that says what is wrong with a change; `nil` if the change is allowed.
    package static func problem(with changed: DataRequest, from original: DataRequest) -> String? {
        if changed.url != original.url {
            return "changed the URL, which is the key of the image in all caches; load another URL with a separate request, or "
                + "register a loader for the scheme"
        }
        if (changed.maximumResponseBytes ?? .max) > (original.maximumResponseBytes ?? .max) {
            return "raised the size limit that the caller set; set maximumResponseBytes in the request's options"
        }
        if changed.allowsExpensiveNetwork, !original.allowsExpensiveNetwork {
            return
                "allowed expensive networks, which the caller did not; set allowsExpensiveNetwork in the request's options"
        }
        if original.cachePolicy.isOnlyIfCached, !changed.cachePolicy.isOnlyIfCached {
            return "allowed the network, although the caller set onlyIfCached; set cachePolicy in the request's options"
        }
        if original.cachePolicy.revalidatesDisk, !changed.cachePolicy.revalidatesDisk {
            return "allowed a stored response that the server has not confirmed, although the caller set revalidatesDisk; set "
                + "cachePolicy in the request's options"
        }
        if changed.cachePolicy.writesDisk, !original.cachePolicy.writesDisk {
            return "allowed storing the response on disk, which the caller did not; set cachePolicy in the request's options"
        }
        return nil
    }
}
