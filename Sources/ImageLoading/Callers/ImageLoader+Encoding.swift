public import ImageCore

extension ImageLoader {
    /// Loads an image and returns it in the bytes of a format, as a server sends it.
    ///
    /// Encoded on a worker thread, once for all equal calls at a time. The data cache keeps the result where the cache
    /// policy allows to write there, whatever ``LoadOptions/diskStorage`` says, and by the rules of the HTTP cache for
    /// the original: it is served as long as that is fresh, and not stored if that must not be. It is removed with the
    /// other variants of its source. The memory cache is not used; a loader without a data cache encodes again.
    ///
    /// An animation has all its frames in a format with animations, and in others the first one. The frame that
    /// ``LoadOptions/frame`` chooses is an image, as is the first one without ``LoadOptions/animates``.
    ///
    /// ```swift
    /// func thumbnail(_ url: URL, from loader: ImageLoader) async throws(LoadFailure) -> (type: String, body: Data) {
    ///     let image = try await loader.encoded(for: ImageRequest(url: url, size: PixelSize(320)), as: .webp)
    ///     return (image.mediaType, image.data)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: the image to load.
    ///   - format: a format that ``Configuration/encoder`` writes.
    ///   - options: how to encode the image; the defaults of the format. The options of plug-ins are those of the
    ///     request.
    /// - Throws: ``LoadFailure/failed(_:)`` with the error, such as `unsupportedFeature` for a format without an
    ///   encoder, or ``LoadFailure/cancelled``. Other callers of the same image are not cancelled.
    public func encoded(
        for request: ImageRequest, as format: ImageFormat, options: EncodeOptions = EncodeOptions()
    ) async throws(LoadFailure) -> EncodedImage {
        let plan = try coordinator.plan(request, goal: .encoded(EncodedForm(format, options)))
        let output = try await coordinator.load(MemoryLookup(plan: plan)).outcome.get()
        guard case .encoded(var image) = output.content else { throw .failed(.noInput) }
        image.metrics = output.metrics
        return image
    }

    /// Loads the image at a URL and returns it in the bytes of a format (``encoded(for:as:options:)``).
    ///
    /// - Parameters:
    ///   - url: the URL of the image.
    ///   - format: a format that ``Configuration/encoder`` writes.
    ///   - size: the box in pixels that the image is scaled down to; `nil`, the default, leaves it to the loader's
    ///     options.
    ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to the
    ///     loader's options.
    /// - Throws: ``LoadFailure/failed(_:)`` with the error, or ``LoadFailure/cancelled``.
    public func encoded(
        for url: URL, as format: ImageFormat, size: PixelSize? = nil, processors: [any Processing] = []
    ) async throws(LoadFailure) -> EncodedImage {
        try await encoded(for: ImageRequest(url: url, size: size, processors: processors), as: format)
    }
}
