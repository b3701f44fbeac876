public import HTTPTypes

/// A source, and the options in which its load differs from the defaults of the loader. Requests are equal if their
/// sources identify the same images and all else is equal.
///
/// ```swift
/// var request = ImageRequest(url: URL(string: "https://example.org/cat.jpg")!, size: PixelSize(320))
/// request.options.priority = .high
/// ```
public struct ImageRequest: Sendable, Hashable, CustomStringConvertible {
    /// Where the image comes from.
    public private(set) var source: ImageSource
    /// The options of the request. They override the options of the loader; its runtime options override them.
    public var options: OptionLayer
    /// The purpose of the load. Targets and prefetchers set it.
    public var purpose: LoadPurpose
    /// The owner, whose loads can be cancelled together; `nil`, the default, for none.
    public var owner: LoadOwner?
    /// Sources to load one after the other, with the same options, if the source fails; none. The result is that of the
    /// first that succeeds, and is cached under the key of that source. A failure of a processor does not lead to a
    /// fallback.
    public var fallbacks: [ImageSource] = []
    /// A small version of the image, which is loaded at the same time and shown as a preview until the image has
    /// loaded; `nil`, the default, for none. Only loads that deliver previews use it: targets and tasks. A load that
    /// only awaits its result, such as `image(for:)`, does not fetch it.
    public var lowResolution: ImageSource?
    /// The identity of the source with ``method``, ``body`` and ``cacheKey``, without headers.
    public private(set) var resource: ResourceKey
    /// The method and the body, where they differ from the defaults.
    private var payload: Payload?
    /// Whether the source is local (``ImageSource/isLocal``). Stored, because a URL creates a string for its scheme at
    /// each access.
    package let isLocal: Bool
    /// Whether a loader may know versions of the source (``DataLoading/version(of:)``): a URL that is neither of the
    /// web nor `data:`.
    package let mayChangeHere: Bool

    /// Creates a request for a source.
    ///
    /// - Parameters:
    ///   - source: where the image comes from.
    ///   - options: overrides of the loader's options; none.
    ///   - purpose: the purpose of the load.
    public init(_ source: ImageSource, options: OptionLayer = OptionLayer(), purpose: LoadPurpose = .plain) {
        (self.source, self.options, self.purpose) = (source, options, purpose)
        resource = ImageRequest.key(for: source)
        isLocal = source.isLocal
        mayChangeHere = source.mayChangeHere
    }

    /// The HTTP method of a request to a web server; `GET`. Requests with different methods or bodies never share a
    /// response.
    ///
    /// An HTTP cache stores only responses to `GET` without a body (RFC 9110, section 9.3.3). A method that is not
    /// idempotent, such as `POST`, is not retried. ``fallbacks`` and ``lowResolution`` are fetched with `GET`.
    ///
    /// ```swift
    /// var request = ImageRequest(url: URL(string: "https://example.org/render")!)
    /// request.method = .post
    /// request.body = Data(#"{"chart": "sales"}"#.utf8)
    /// request.options.headers = [.contentType: "application/json"]
    /// ```
    public var method: HTTPRequest.Method {
        get { payload?.method ?? .get }
        set { send(newValue, body) }
    }

    /// The body to send to a web server; `nil`, the default, sends none.
    public var body: Data? {
        get { payload?.body }
        set { send(method, newValue) }
    }

    /// What identifies the image in place of its URL, for URLs whose signature, token or host changes; `nil`, the
    /// default, or an empty text leaves that to the URL.
    ///
    /// All URLs with one key share the memory cache, the data cache, the HTTP cache, and a fetch, which is that of the
    /// first load; where the server refuses its URL (status 4xx), the others fetch once more. A stale response is
    /// revalidated at the URL of the load. The key must name the image and its version as well as the URL would.
    /// Method, body, headers, and user and password of the URL still vary it. Caches see only a digest of it, and no
    /// log names it. Has no effect on a source that is no URL.
    ///
    /// ```swift
    /// var request = ImageRequest(url: URL(string: "https://cdn.example.org/cat.jpg?token=f3a1")!)
    /// request.cacheKey = "cat.jpg"
    /// ```
    ///
    /// ``ImageSource/url(_:cacheKey:)`` gives a key to one of the ``fallbacks``, or to ``lowResolution``.
    public var cacheKey: String? {
        get { source.cacheKey }
        set {
            guard let url = source.url else { return }
            source = .url(url, cacheKey: newValue)
            send(method, body)
        }
    }

    private final class Payload: Sendable {
        let method: HTTPRequest.Method
        let body: Data?

        init(_ method: HTTPRequest.Method, _ body: Data?) { (self.method, self.body) = (method, body) }
    }

    private mutating func send(_ method: HTTPRequest.Method, _ body: Data?) {
        let isPlain = method == .get && body == nil
        payload = isPlain ? nil : Payload(method, body)
        resource = ImageRequest.key(for: source)
        if !isPlain { resource = resource.varied(by: [method.rawValue, body.map { SHA256.hexDigest(of: Array($0)) } ?? ""]) }
    }

    public static func == (a: ImageRequest, b: ImageRequest) -> Bool {
        a.resource == b.resource && a.purpose == b.purpose && a.owner == b.owner && a.otherSources == b.otherSources
            && a.options == b.options
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(resource) }

    /// What identifies ``fallbacks`` and ``lowResolution``.
    package var otherSources: [ResourceKey?] {
        [lowResolution.map(ImageRequest.key)] + fallbacks.map(ImageRequest.key)
    }

    /// Returns the request for another source, with all else as it is.
    ///
    /// - Parameter source: where the image comes from.
    public func with(source: ImageSource) -> ImageRequest {
        var request = replacing(source)
        (request.owner, request.fallbacks, request.lowResolution) = (owner, fallbacks, lowResolution)
        if payload != nil { request.send(method, body) }
        return request
    }

    /// Returns a request for another source with the same options and purpose, without method, body, owner, fallbacks
    /// and low resolution.
    package func replacing(_ source: ImageSource) -> ImageRequest {
        ImageRequest(source, options: options, purpose: purpose)
    }

    /// The source without credentials and query values.
    public var description: String { source.description }

    /// Decodes the percent-encodings of unreserved characters, and writes the others in upper case.
    private static func normalizingEncodings(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            guard byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else {
                bytes.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
            switch value {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(value)
            default:
                bytes.append(byte)
                bytes += digits.map { 0x61...0x66 ~= $0 ? $0 - 0x20 : $0 }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// User and password, which may change the response.
    private static func userInfo(of url: URL) -> [String] {
        url.user == nil && url.password == nil ? [] : [url.user ?? "", url.password ?? ""]
    }

    /// URLs that differ only in the fragment, in the case of the scheme or in how they encode characters that need no
    /// encoding (RFC 3986, section 6.2.2) identify the same resource.
    private static func key(for source: ImageSource) -> ResourceKey {
        switch source {
        case .bytes(_, let id): return ResourceKey("bytes:" + id)
        case .producer(let id, _): return ResourceKey("producer:" + id)
        case .image(_, let id): return ResourceKey("image:" + id)
        case .imageProducer(let id, _): return ResourceKey("imageProducer:" + id)
        case .url(let url, _):
            if let key = source.cacheKey { return ResourceKey(cacheKey: key).varied(by: userInfo(of: url)) }
            var text = url.absoluteString
            if let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")) { text.removeSubrange(fragment...) }
            if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[..<colon].utf8.contains(where: { 65...90 ~= $0 }) {
                text = text[..<colon].lowercased() + text[colon...]
            }
            if text.utf8.contains(UInt8(ascii: "%")), !text.hasPrefix("data:") { text = Self.normalizingEncodings(text) }
            // A password in the URL may change the response, so it is part of the key, but only as a digest.
            guard text.utf8.contains(UInt8(ascii: "@")), url.user != nil || url.password != nil else { return ResourceKey(text) }
            return ResourceKey(URLRedaction.withoutCredentials(url)).varied(by: [text])
        }
    }
}
