/// What a caller wants: a source, and how this load differs from the loader's defaults.
///
/// ```swift
/// var request = ImageRequest(url: URL(string: "https://example.org/cat.jpg")!)
/// request.options.targetSize = PixelSize(width: 320, height: 320)
/// request.options.priority = .high
/// ```
public struct ImageRequest: Sendable, CustomStringConvertible {
    public let source: ImageSource
    /// The request's own layer of options: over the global one, under the runtime one.
    public var options: OptionLayer
    /// What the load is for; targets and prefetchers set it.
    public var purpose: LoadPurpose
    /// Who wants it: ends all loads of one owner at once; nobody in particular by default.
    public var owner: LoadOwner?
    /// Tried one after the other, with the same options, where the source fails; none. The result is that of the first
    /// that succeeds, and is cached under that one's name. A failed processor is not tried again.
    public var fallbacks: [ImageSource] = []
    /// A small version of the picture: loaded at the same time and shown as a preview until the picture itself is there;
    /// `nil`. Only for loads whose events somebody looks at.
    public var lowResolution: ImageSource?
    /// The identity of the source, without headers.
    public let resource: ResourceKey
    /// Whether the bytes are at hand anyway (``ImageSource/isLocal``): looked at once, since a URL has to make its scheme a
    /// string for that.
    package let isLocal: Bool

    public init(_ source: ImageSource, options: OptionLayer = OptionLayer(), purpose: LoadPurpose = .plain) {
        self.source = source
        self.options = options
        self.purpose = purpose
        resource = ImageRequest.key(for: source)
        isLocal = source.isLocal
    }

    /// The same request for another source, on its own.
    package func replacing(_ source: ImageSource) -> ImageRequest {
        ImageRequest(source, options: options, purpose: purpose)
    }

    public init(url: URL, options: OptionLayer = OptionLayer()) {
        self.init(.url(url), options: options)
    }

    /// A request for `url` at a size, or with processors, or both.
    public init(url: URL, targetSize: PixelSize? = nil, processors: [any Processing]) {
        var options = OptionLayer()
        if let targetSize { options.targetSize = targetSize }
        options.processors = processors
        self.init(.url(url), options: options)
    }

    public var description: String { source.description }

    /// URLs that differ only in fragment or in the case of the scheme name one resource.
    private static func key(for source: ImageSource) -> ResourceKey {
        switch source {
        case .bytes(_, let id): return ResourceKey("bytes:" + id)
        case .producer(let id, _): return ResourceKey("producer:" + id)
        case .url(let url):
            var text = url.absoluteString
            if let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")) { text.removeSubrange(fragment...) }
            if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[..<colon].utf8.contains(where: { 65...90 ~= $0 }) {
                text = text[..<colon].lowercased() + text[colon...]
            }
            // A password in the URL is a credential: it makes a difference, and is not written down.
            guard text.utf8.contains(UInt8(ascii: "@")), url.user != nil || url.password != nil else { return ResourceKey(text) }
            return ResourceKey(URLRedaction.withoutCredentials(url)).varied(by: [text])
        }
    }
}
