/// An image in the bytes of a file format, with what a server needs to answer with it.
public struct EncodedImage: Sendable {
    /// The file.
    public var data: Data
    /// The format of the file.
    public var format: ImageFormat
    /// The size of the image in pixels.
    public var size: PixelSize
    /// The response that the image was made from; `nil` for a local source, or if the loader has no HTTP cache and had
    /// the file in its data cache.
    public var original: OriginalResponse?
    /// Until when the file may be reused without asking the server of the original; a time in the past if it must not.
    /// `nil` without an HTTP cache, and for a local source.
    public var freshUntil: Date?
    /// Where the load found the file, or what it was made from.
    public var tier = CacheTier.network
    /// The times and counts of the load.
    public var metrics = LoadMetrics()

    /// Creates an encoded image.
    ///
    /// - Parameters:
    ///   - data: the file.
    ///   - format: the format of the file.
    ///   - size: the size of the image in pixels.
    public init(data: Data, format: ImageFormat, size: PixelSize) {
        (self.data, self.format, self.size) = (data, format, size)
    }

    /// The media type for `Content-Type`, such as `image/webp`.
    public var mediaType: String { format.mediaType }
}
