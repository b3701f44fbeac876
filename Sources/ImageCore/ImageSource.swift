/// Where an image comes from.
public enum ImageSource: Sendable, CustomStringConvertible {
    /// A URL whose scheme a registered loader supports: `http`, `https`, `file`, `data`, or the scheme of a plug-in.
    ///
    /// A cache key identifies the image in place of the URL (``ImageRequest/cacheKey``). `nil`, the default, or an
    /// empty text leaves that to the URL.
    case url(URL, cacheKey: String? = nil)
    /// Bytes in memory. Equal ids identify the same image.
    case bytes(Data, id: String)
    /// Bytes that a closure returns when the load needs them. Equal ids identify the same image. The closure runs in a
    /// task that is cancelled with the load; what it throws fails the load.
    case producer(id: String, @Sendable () async throws -> Data)
    /// An image in memory. Equal ids identify the same image, so that an image that changes needs another id.
    ///
    /// It passes ``LoadOptions/targetSize``, the processors and the memory cache as a decoded image does, and never
    /// the disk. Of the options for the decode hold those for pixels: ``LoadOptions/maximumPixels``,
    /// ``LoadOptions/alpha``, ``LoadOptions/convertsTo8Bit`` and ``LoadOptions/animates``. Orientation, colour profile
    /// and frame stay as they are, and an animation keeps the size of its frames. A partial image is delivered, but not
    /// cached.
    // Indirect, which keeps requests small.
    indirect case image(DecodedImage, id: String)
    /// An image that a closure returns when the load needs it, as ``image(_:id:)``. The closure runs as that of
    /// ``producer(id:_:)``, once for all loads of the id that wait at the same time, whatever their sizes and
    /// processors.
    case imageProducer(id: String, @Sendable () async throws -> DecodedImage)

    /// The URL; `nil` for another source.
    public var url: URL? { if case .url(let url, _) = self { url } else { nil } }

    /// What identifies the image in place of its URL; `nil` for the URL itself, and for another source.
    public var cacheKey: String? {
        if case .url(_, let key?) = self, !key.isEmpty { key } else { nil }
    }

    /// Whether the image is on this machine, so that the data cache does not store it: bytes and images in memory,
    /// closures, and `file:` and `data:` URLs.
    public var isLocal: Bool {
        guard let scheme = url?.scheme else { return true }
        switch scheme {
        case "https", "http": return false
        case "file", "data": return true
        default: return ["file", "data"].contains(scheme.lowercased())
        }
    }

    /// Whether it has an image, and no bytes.
    package var isDecoded: Bool {
        switch self {
        case .image, .imageProducer: true
        case .url, .bytes, .producer: false
        }
    }

    /// Whether it is a URL of a scheme other than `http`, `https` and `data`.
    var mayChangeHere: Bool {
        guard let url else { return false }
        guard let scheme = url.scheme else { return true }
        if scheme == "https" || scheme == "http" { return false }
        return !["http", "https", "data"].contains(scheme.lowercased())
    }

    /// The source for messages and logs: a URL without credentials, fragment and query values, and only the start of a
    /// `data:` URL.
    public var description: String {
        switch self {
        case .url(let url, _): ImageSource.redacted(url)
        case .bytes(let data, let id): "bytes:\(id) (\(data.count) bytes)"
        case .producer(let id, _): "producer:\(id)"
        case .image(let image, let id): "image:\(id) (\(image))"
        case .imageProducer(let id, _): "imageProducer:\(id)"
        }
    }

    /// Returns a URL for messages and logs: without user, password and fragment, and without the values of its query,
    /// which may be tokens or signatures.
    public static func redacted(_ url: URL) -> String { URLRedaction.text(of: .url(url), hidesQueries: true) }
}
