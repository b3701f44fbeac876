// The requests of the most common calls, in one line.
extension ImageRequest {
    /// Creates a request for a URL.
    ///
    /// ```swift
    /// let url = URL(string: "https://example.org/cat.jpg")!
    /// let whole = ImageRequest(url: url)
    /// let avatar = ImageRequest(url: url, size: PixelSize(60, scale: 3), contentMode: .fill)
    /// ```
    ///
    /// - Parameters:
    ///   - url: the URL of the image.
    ///   - size: the ``LoadOptions/targetSize`` in pixels; `nil`, the default, leaves it to `options`.
    ///   - contentMode: how the image fills the size; `nil`, the default, leaves it to `options`.
    ///   - processors: the processors to run on the decoded image, in order; an empty list, the default, leaves them to
    ///     `options`.
    ///   - options: overrides of the loader's options; none.
    public init(
        url: URL, size: PixelSize? = nil, contentMode: ImageContentMode? = nil, processors: [any Processing] = [],
        options: OptionLayer = OptionLayer()
    ) {
        self.init(.url(url), options: options)
        set(size, contentMode, processors)
    }

    /// Creates a request for bytes in memory.
    ///
    /// The id of the source is the SHA-256 digest of the bytes, which is computed during this call, so that equal bytes
    /// share one decode and one entry of the memory cache. ``ImageSource/bytes(_:id:)`` avoids that for large data with
    /// an id of its own.
    ///
    /// - Parameters:
    ///   - data: the encoded image.
    ///   - size: the ``LoadOptions/targetSize`` in pixels; `nil`, the default, leaves it to `options`.
    ///   - contentMode: how the image fills the size; `nil`, the default, leaves it to `options`.
    ///   - processors: the processors to run on the decoded image, in order; an empty list, the default, leaves them to
    ///     `options`.
    ///   - options: overrides of the loader's options; none.
    public init(
        data: Data, size: PixelSize? = nil, contentMode: ImageContentMode? = nil, processors: [any Processing] = [],
        options: OptionLayer = OptionLayer()
    ) {
        self.init(.bytes(data, id: "sha256-" + SHA256.hexDigest(of: data)), options: options)
        set(size, contentMode, processors)
    }

    /// Creates a request for an image in memory.
    ///
    /// - Parameters:
    ///   - image: the image.
    ///   - id: identifies the image, as in ``ImageSource/image(_:id:)``.
    ///   - size: the ``LoadOptions/targetSize`` in pixels; `nil`, the default, leaves it to `options`.
    ///   - contentMode: how the image fills the size; `nil`, the default, leaves it to `options`.
    ///   - processors: the processors to run on the image, in order; an empty list, the default, leaves them to
    ///     `options`.
    ///   - options: overrides of the loader's options; none.
    public init(
        image: DecodedImage, id: String, size: PixelSize? = nil, contentMode: ImageContentMode? = nil,
        processors: [any Processing] = [], options: OptionLayer = OptionLayer()
    ) {
        self.init(.image(image, id: id), options: options)
        set(size, contentMode, processors)
    }

    private mutating func set(_ size: PixelSize?, _ contentMode: ImageContentMode?, _ processors: [any Processing]) {
        if let size { options.targetSize = size }
        if let contentMode { options.contentMode = contentMode }
        if !processors.isEmpty { options.processors = processors }
    }
}
