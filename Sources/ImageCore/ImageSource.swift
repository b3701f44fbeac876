/// Where an image comes from.
public enum ImageSource: Sendable, CustomStringConvertible {
    /// Any URL whose scheme a registered loader answers for: `http`, `https`, `file`, `data`, or a plug-in's own.
    case url(URL)
    /// Bytes in memory. `id` names them: equal ids are the same picture.
    case bytes(Data, id: String)
    /// Bytes that a closure produces when they are needed. `id` names them. Cancelling the load cancels the closure's
    /// task; what it throws fails the load.
    case producer(id: String, @Sendable () async throws -> Data)

    /// Whether the bytes are at hand anyway, so that no data cache is worth asking or filling.
    public var isLocal: Bool {
        guard case .url(let url) = self, let scheme = url.scheme else { return true }
        switch scheme {
        case "https", "http": return false
        case "file", "data": return true
        default: return ["file", "data"].contains(scheme.lowercased())
        }
    }

    /// The source for messages and logs: no password, no fragment, and the start of a `data` URL only.
    public var description: String {
        switch self {
        case .url(let url): ImageSource.redacted(url)
        case .bytes(let data, let id): "bytes:\(id) (\(data.count) bytes)"
        case .producer(let id, _): "producer:\(id)"
        }
    }

    /// A URL as it may appear in a message: without user, password and fragment.
    public static func redacted(_ url: URL) -> String {
        var text = url.absoluteString
        if text.prefix(5).lowercased() == "data:" { return text.count > 40 ? "\(text.prefix(37))..." : text }
        guard url.user != nil || url.password != nil, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            // No server sees a fragment, which may be a token.
            if let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")) { text.removeSubrange(fragment...) }
            return text
        }
        (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
        return parts.string ?? "(a URL with credentials)"
    }

    /// A stranger's words without the users and passwords of the URLs in them.
    static func redacted(in text: String) -> String {
        var (rest, redacted) = (text[...], "")
        while let slashes = rest.firstRange(of: "://") {
            let authority = rest[slashes.upperBound...].prefix { !$0.isWhitespace && !"/?#\"'<>".contains($0) }
            let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
            redacted += rest[..<slashes.upperBound] + host
            rest = rest[authority.endIndex...]
        }
        return redacted + rest
    }
}
