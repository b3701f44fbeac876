/// What identifies the bytes of a resource: everything that changes the response. Two requests with equal keys share
/// one fetch.
///
/// Keys are equal if their texts are. The hash is computed once, when the key is made.
public struct ResourceKey: Hashable, Sendable, CustomStringConvertible {
    /// The source, normalised; credentials appear only as a digest.
    public let text: String
    /// Seeded by the process: it differs from launch to launch, so a server cannot choose keys that collide.
    package let hash: Int

    public init(_ text: String) {
        var hasher = Hasher()
        hasher.combine(text)
        self.init(text, hash: hasher.finalize())
    }

    /// A key with a given hash, for tests that must do the same in each process.
    package init(_ text: String, hash: Int) { (self.text, self.hash) = (text, hash) }

    /// This key together with what else changes the response: method, header fields, body. `parts` appear only as a
    /// digest.
    public func varied(by parts: [String]) -> ResourceKey {
        guard !parts.isEmpty else { return self }
        // Each part is preceded by its length, so that no two lists run together.
        let bytes = parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) }
        return ResourceKey(text + "#" + SHA256.hexDigest(of: bytes))
    }

    public static func == (a: Self, b: Self) -> Bool { a.hash == b.hash && a.text == b.text }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    public var description: String { text }
}

/// What identifies a decoded and processed image in a memory cache: the resource and what was done to it.
public struct ImageKey: Hashable, Sendable, CustomStringConvertible {
    public let resource: ResourceKey
    /// Decoding options and processors in order, as text; empty for the image as it is in the file.
    public let variant: String
    /// Differs from launch to launch, as that of the resource.
    package let hash: Int

    public init(resource: ResourceKey, variant: String = "") {
        self.resource = resource
        self.variant = variant
        guard !variant.isEmpty else {
            hash = resource.hash
            return
        }
        var hasher = Hasher()
        hasher.combine(resource.hash)
        hasher.combine(variant)
        hash = hasher.finalize()
    }

    public static func == (a: Self, b: Self) -> Bool {
        a.hash == b.hash && a.variant == b.variant && a.resource.text == b.resource.text
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    public var description: String { variant.isEmpty ? resource.text : "\(resource.text) | \(variant)" }
}

/// What identifies bytes in a data cache.
public struct DataKey: Hashable, Sendable, CustomStringConvertible {
    public let resource: ResourceKey
    /// `nil` for the original bytes; the variant of an ``ImageKey`` for an encoded processed image.
    public let variant: String?

    public init(resource: ResourceKey, variant: String? = nil) {
        self.resource = resource
        self.variant = variant
    }

    /// A name for a file or a remote store: 64 hexadecimal digits that do not reveal the URL.
    public var digest: String {
        SHA256.hexDigest(of: Array(resource.text.utf8) + (variant.map { [0] + Array($0.utf8) } ?? []))
    }

    public var description: String { variant.map { "\(resource.text) | \($0)" } ?? resource.text }
}
