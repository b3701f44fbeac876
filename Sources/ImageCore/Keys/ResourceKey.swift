/// What identifies the bytes of a resource: everything that changes the response. Two requests with equal keys share
/// one fetch.
///
/// Hashed once when it is made, to 122 bits with secret parameters: so keys are compared by these alone, and cache lookups
/// never look at a text.
public struct ResourceKey: Hashable, Sendable, CustomStringConvertible {
    /// The source, normalised; credentials appear only as a digest.
    public let text: String
    @usableFromInline package let digest: TextDigest

    public init(_ text: String) {
        self.text = text
        digest = TextDigest(text)
    }

    /// As if the text had this digest: for tests, since that of its own differs from launch to launch.
    package init(_ text: String, digest: TextDigest) { (self.text, self.digest) = (text, digest) }

    /// Mixed well; differs from launch to launch.
    @inlinable package var hash: Int { Int(truncatingIfNeeded: digest.hash) }

    /// The key of `self` asked for with what else changes the response: method, headers, body. `parts` appear only as
    /// a digest.
    public func varied(by parts: [String]) -> ResourceKey {
        guard !parts.isEmpty else { return self }
        // Each part is preceded by its length, so that no two lists run together.
        let bytes = parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) }
        return ResourceKey(text + "#" + SHA256.hexDigest(of: bytes))
    }

    public static func == (a: Self, b: Self) -> Bool { a.digest == b.digest }

    public func hash(into hasher: inout Hasher) { hasher.combine(digest.first) }

    public var description: String { text }
}

/// What identifies a decoded and processed image in a memory cache: the resource and what was done to it.
public struct ImageKey: Hashable, Sendable, CustomStringConvertible {
    public let resource: ResourceKey
    /// Decoding options and processors in order, as text; empty for the picture as it comes.
    public let variant: String

    /// Of both.
    @usableFromInline package let digest: TextDigest

    public init(resource: ResourceKey, variant: String = "") {
        self.resource = resource
        self.variant = variant
        digest = variant.isEmpty ? resource.digest : resource.digest.appending(variant)
    }

    public static func == (a: Self, b: Self) -> Bool { a.digest == b.digest }

    public func hash(into hasher: inout Hasher) { hasher.combine(digest.first) }

    /// A hash for tables of their own, mixed well. Its lower half is that of the resource.
    @inlinable package var hash: Int { Int(truncatingIfNeeded: digest.hash & ~0xffff_ffff | resource.digest.hash & 0xffff_ffff) }

    /// What tells apart keys of one hash: with it, 93 bits and more of the digest.
    @inlinable package var check: UInt64 { digest.second }

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

    /// A name for a file or a remote store: 64 hexadecimal digits that tell nothing of the URL.
    public var digest: String {
        SHA256.hexDigest(of: Array(resource.text.utf8) + (variant.map { [0] + Array($0.utf8) } ?? []))
    }

    public var description: String { variant.map { "\(resource.text) | \($0)" } ?? resource.text }
}
