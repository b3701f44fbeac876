/// Wraps whole loads of images: loads another request instead, answers with an image, loads again after a failure, or
/// observes.
///
/// Those of the option ``LoadOptions/loadInterceptors`` run in order, the first one outermost, before the memory cache
/// is looked up. Each load runs them, also one that then shares the work of another: what is cached and shared is what
/// `next` loads, under the key of the request that it gets. One that only replaces requests is better a
/// ``RequestRewriting``, which costs no time.
///
/// Called once per load, in a task of that load, on no actor. Loads of bytes, headers or encoded images, such as a
/// loader's `data(for:)`, run no interceptors. A load of a prefetcher does, and one whose destination is the disk makes
/// the image for them.
///
/// **Cancelling**: the calling task is cancelled, also at the load's deadline; `next` throws
/// ``LoadFailure/cancelled``, which must be rethrown.
///
/// **Errors**: a thrown ``LoadFailure`` or ``ImageError`` ends the load; another error is wrapped as
/// ``ImageError/Code/plugInFailed``. An error of `next`, whose fallbacks have failed too, may be handled.
///
/// **Must not**: block its thread; or keep `next` after it has returned.
///
/// ```swift
/// /// Shows a smaller image where the network is slow.
/// struct Impatient: LoadInterceptor {
///     let limit: Duration
///
///     func intercept(_ request: ImageRequest, size: PixelSize?, next: @escaping Next) async throws -> ImageResponse {
///         var hasty = request
///         hasty.options.deadline = limit
///         do {
///             return try await next(hasty)
///         } catch {
///             guard error.code == .deadlineExceeded, let small = request.lowResolution else { throw error }
///             return try await next(request.with(source: small))
///         }
///     }
/// }
/// ```
public protocol LoadInterceptor: Sendable {
    /// Loads a request without the interceptors that are called before this one, and this one. May be called again, and
    /// several times at once.
    typealias Next = @Sendable (ImageRequest) async throws(LoadFailure) -> ImageResponse

    /// Handles a load.
    ///
    /// - Parameters:
    ///   - request: the request, with the size of its view, and as the interceptors before this one have changed it.
    ///   - size: the box in pixels that the image is scaled down to, with all layers of options merged; `nil` for the
    ///     full size.
    ///   - next: calls the next interceptor, or loads the image.
    /// - Returns: what the load ends with.
    func intercept(_ request: ImageRequest, size: PixelSize?, next: @escaping Next) async throws -> ImageResponse
}

/// A load interceptor that does no more than replace requests, at once: with the URL of an image CDN for the size, of a
/// mirror, or of the present theme.
///
/// If all interceptors of a load are of this kind, the load itself is for the new request: images in memory are there
/// at once, and loads of bytes and headers and prefetches to the disk get the new request, too.
///
/// Called on the thread that starts the load, before its memory lookup, and by targets again; it must return at once,
/// and the same each time. **Cancelling**, **errors**: none.
///
/// ```swift
/// /// Asks an image CDN for images of the size at which they are shown.
/// struct Sizes: RequestRewriting {
///     let scale: Int
///
///     func request(for request: ImageRequest, size: PixelSize?) -> ImageRequest {
///         guard let size, let url = request.source.url, url.host() == "images.example.org" else { return request }
///         let width = URLQueryItem(name: "w", value: "\(size.width / scale)")
///         let density = URLQueryItem(name: "dpr", value: "\(scale)")
///         return request.with(source: .url(url.appending(queryItems: [width, density])))
///     }
/// }
/// ```
public protocol RequestRewriting: LoadInterceptor {
    /// Returns the request to load in place of one.
    ///
    /// - Parameters:
    ///   - request: the request, with the size of its view, and as the interceptors before this one have changed it.
    ///   - size: the box in pixels that the image is scaled down to; `nil` for the full size, and for loads of bytes or
    ///     of headers.
    func request(for request: ImageRequest, size: PixelSize?) -> ImageRequest
}

extension RequestRewriting {
    public func intercept(_ request: ImageRequest, size: PixelSize?, next: @escaping Next) async throws -> ImageResponse {
        try await next(self.request(for: request, size: size))
    }
}
