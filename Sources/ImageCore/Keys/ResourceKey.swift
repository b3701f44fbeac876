/// Identifies the bytes of a resource by everything that changes the response. Requests with equal keys share a fetch.
///
/// Keys are equal if their texts are. The hash is computed once, when the key is created.
public struct ResourceKey: Hashable, Sendable, CustomStringConvertible {
    /// The normalised source. Credentials appear only as a digest.
    public let text: String
    /// The hash, which is seeded randomly at each launch, so that a server cannot choose keys that collide.
    package let hash: Int

    /// Creates a key from a normalised source.
    public init(_ text: String) {
        var hasher = Hasher()
        hasher.combine(text)
        self.init(text, hash: hasher.finalize())
    }

    /// Creates the key of a caller (``ImageRequest/cacheKey``). No URL contains a space, so that none has this key.
    /// The digest bounds it, and keeps what it says out of caches.
    ///
    /// - Parameter key: the text of the caller, which must not be empty.
    package init(cacheKey key: String) { self.init("key " + SHA256.hexDigest(of: key.utf8)) }

    /// Creates a key with a given hash, for tests that must be repeatable.
    package init(_ text: String, hash: Int) { (self.text, self.hash) = (text, hash) }

    /// Returns this key extended by other parts of the request that change the response: method, header fields, body.
    /// The parts appear only as a digest.
    public func varied(by parts: [String]) -> ResourceKey {
        guard !parts.isEmpty else { return self }
        // The length before each part makes the digests of different lists different.
        let bytes = parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) }
        return ResourceKey(text + "#" + SHA256.hexDigest(of: bytes))
    }

    /// Whether both keys identify the same source, whatever header fields and other parts of the request vary them
    /// (``varied(by:)``). Caches use it to remove everything that came from a source.
    public func hasSameSource(as other: ResourceKey) -> Bool { self == other || source == other.source }

    /// The source without the parts that ``varied(by:)`` added, and without lines after the first.
    package var source: Substring {
        var text = text
        let count = text.withUTF8 { unsafe Self.sourceCount(of: $0) }
        return text[..<text.utf8.index(text.startIndex, offsetBy: count)]
    }

    /// How many bytes of a key's text are its ``source``.
    private static func sourceCount(of text: some RandomAccessCollection<UInt8>) -> Int {
        var rest = text.prefix { $0 != UInt8(ascii: "\n") }
        while let digest = rest.lastIndex(of: UInt8(ascii: "#")), rest[digest...].count == 65,
            rest[digest...].dropFirst().allSatisfy({ 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 })
        {
            rest = rest[..<digest]
        }
        return rest.count
    }

    public static func == (a: Self, b: Self) -> Bool { a.hash == b.hash && a.text == b.text }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    public var description: String { text }
}
