/// Identifies bytes in a data cache.
public struct DataKey: Hashable, Sendable, CustomStringConvertible {
    /// The resource that the bytes were fetched from.
    public let resource: ResourceKey
    /// The text of the ``ImageKey``'s variant for a processed image; `nil` for the original bytes.
    public let variant: String?

    /// Creates a key, by default of the original bytes.
    public init(resource: ResourceKey, variant: String? = nil) {
        self.resource = resource
        self.variant = variant
    }

    /// A name for a file or a key of a remote store: 64 hexadecimal digits that do not reveal the URL. They begin with
    /// ``digestPrefix(of:)``.
    public var digest: String { SHA256.hexDigits(of: digestWords) }

    /// The ``digest`` as eight words, the most significant first.
    package var digestWords: [UInt32] {
        let own = SHA256.digest(of: Array(resource.text.utf8) + (variant.map { [0] + Array($0.utf8) } ?? []))
        // The text of most keys of originals is their source.
        let isSource = variant == nil && resource.source.utf8.count == resource.text.utf8.count
        let source = isSource ? own : SHA256.digest(of: resource.source.utf8)
        return source.prefix(Self.prefixLength / 8) + own.dropLast(Self.prefixLength / 8)
    }

    /// The first 16 digits of the ``digest`` of every entry with the source of a resource, so that a store that does
    /// not know the keys can remove all of them.
    public static func digestPrefix(of resource: ResourceKey) -> String {
        String(SHA256.hexDigest(of: Array(resource.source.utf8)).prefix(prefixLength))
    }

    private static let prefixLength = 16

    public var description: String { variant.map { "\(resource.text) | \($0)" } ?? resource.text }
}
