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

    /// Creates a key with a given hash, for tests that must be repeatable.
    package init(_ text: String, hash: Int) { (self.text, self.hash) = (text, hash) }

    /// Returns this key extended by other parts of the request that change the response: method, header fields, body. The parts
    /// appear only as a digest.
    public func varied(by parts: [String]) -> ResourceKey {
        guard !parts.isEmpty else { return self }
        // The length before each part makes the digests of different lists different.
        let bytes = parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) }
        return ResourceKey(text + "#" + SHA256.hexDigest(of: bytes))
    }

    public static func == (a: Self, b: Self) -> Bool { a.hash == b.hash && a.text == b.text }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    public var description: String { text }
}
