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

    /// The source for messages and logs: no password, no fragment, no values of a query, and the start of a `data` URL only.
    public var description: String {
        switch self {
        case .url(let url): ImageSource.redacted(url)
        case .bytes(let data, let id): "bytes:\(id) (\(data.count) bytes)"
        case .producer(let id, _): "producer:\(id)"
        }
    }

    /// A URL as it may appear in a message or a log: without user, password and fragment, and without the values of its query,
    /// which may be tokens or signatures.
    public static func redacted(_ url: URL) -> String { URLRedaction.text(of: .url(url), hidesQueries: true) }
}
