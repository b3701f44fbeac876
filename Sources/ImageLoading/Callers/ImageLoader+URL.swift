public import ImageCore

// The calls for a URL, and for bytes in memory. Each makes the request that its parameters describe; a request can say
// more.
extension ImageLoader {
    /// Loads the image at a URL. Cancelling the surrounding task cancels the load.
    ///
    /// ```swift
    /// func avatar(_ url: URL, from loader: ImageLoader) async throws(LoadFailure) -> DecodedImage {
    ///     try await loader.image(for: url, size: PixelSize(120), processors: [.circle])
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - url: the URL of the image.
    ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the loader's
    ///     options.
    ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the
    ///     loader's options.
    /// - Throws: ``LoadFailure/failed(_:)`` with the error, or ``LoadFailure/cancelled``.
    public func image(
        for url: URL, size: PixelSize? = nil, processors: [any Processing] = []
    ) async throws(LoadFailure) -> DecodedImage {
        try await image(for: ImageRequest(url: url, size: size, processors: processors))
    }

    /// Decodes an image in memory, as a load of ``ImageRequest/init(data:size:contentMode:processors:options:)``: equal
    /// bytes share one decode and one entry of the memory cache.
    ///
    /// - Parameters:
    ///   - data: the encoded image.
    ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the loader's
    ///     options.
    ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the
    ///     loader's options.
    /// - Throws: ``LoadFailure/failed(_:)`` with the error, or ``LoadFailure/cancelled``.
    public func image(
        for data: Data, size: PixelSize? = nil, processors: [any Processing] = []
    ) async throws(LoadFailure) -> DecodedImage {
        try await image(for: ImageRequest(data: data, size: size, processors: processors))
    }

    /// Loads the image at a URL, and returns it with where it was found and the metrics of the load.
    ///
    /// - Parameters:
    ///   - url: the URL of the image.
    ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the loader's
    ///     options.
    ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the
    ///     loader's options.
    /// - Throws: ``LoadFailure/failed(_:)`` with the error, or ``LoadFailure/cancelled``.
    public func response(
        for url: URL, size: PixelSize? = nil, processors: [any Processing] = []
    ) async throws(LoadFailure) -> ImageResponse {
        try await response(for: ImageRequest(url: url, size: size, processors: processors))
    }

    /// Loads the encoded bytes at a URL, from the data cache or the source; decodes nothing.
    ///
    /// - Returns: the bytes, with the headers of their response.
    /// - Throws: ``LoadFailure/failed(_:)`` with the error, or ``LoadFailure/cancelled``.
    public func data(for url: URL) async throws(LoadFailure) -> DataEntry { try await data(for: ImageRequest(url: url)) }

    /// Reads the header of the image at a URL: its format, its size as stored, its orientation and its number of
    /// frames.
    ///
    /// - Throws: ``LoadFailure/failed(_:)`` with the error, or ``LoadFailure/cancelled``.
    public func info(for url: URL) async throws(LoadFailure) -> ImageInfo { try await info(for: ImageRequest(url: url)) }

    /// Starts a load of the image at a URL and returns its handle at once.
    ///
    /// - Parameters:
    ///   - url: the URL of the image.
    ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the loader's
    ///     options.
    ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the
    ///     loader's options.
    ///   - onEvent: called for each event, on any thread, one event at a time, never from inside this call; `nil` by
    ///     default.
    /// - Returns: the handle of the load.
    public func task(
        for url: URL, size: PixelSize? = nil, processors: [any Processing] = [],
        onEvent: (@Sendable (LoadEvent) -> Void)? = nil
    ) -> ImageTask {
        coordinator.start(ImageRequest(url: url, size: size, processors: processors), wantsProgress: true, onEvent: onEvent)
    }

    /// Loads the image at a URL and calls `completion` on the main actor.
    ///
    /// - Parameters:
    ///   - url: the URL of the image.
    ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the loader's
    ///     options.
    ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the
    ///     loader's options.
    ///   - progress: called on the main actor while bytes arrive, before `completion`; `nil` by default.
    ///   - completion: called once with the result; not called for a cancelled load.
    /// - Returns: the handle of the load.
    @discardableResult
    public func load(
        _ url: URL, size: PixelSize? = nil, processors: [any Processing] = [],
        progress: (@MainActor @Sendable (LoadProgress) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (Result<ImageResponse, LoadFailure>) -> Void
    ) -> ImageTask {
        load(ImageRequest(url: url, size: size, processors: processors), progress: progress, completion: completion)
    }

    /// The image at a URL if it is in the memory cache, without waiting; `nil` if it is not there.
    ///
    /// - Parameters:
    ///   - url: the URL of the image.
    ///   - size: the size with which the image was loaded; `nil`, the default, for that of the loader's options.
    ///   - processors: the processors with which the image was loaded; an empty list, the default, for those of the
    ///     loader's options.
    public func cachedImage(for url: URL, size: PixelSize? = nil, processors: [any Processing] = []) -> DecodedImage? {
        cachedImage(for: ImageRequest(url: url, size: size, processors: processors))
    }
}
