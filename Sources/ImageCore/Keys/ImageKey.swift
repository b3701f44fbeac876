/// Identifies an image in a memory cache: by the resource, and by how it was decoded and processed.
public struct ImageKey: Hashable, Sendable, CustomStringConvertible {
    /// The resource that the image was decoded from.
    public let resource: ResourceKey
    /// How the image was decoded and processed.
    public let variant: ImageVariant
    /// The hash, which like that of the resource differs at each launch.
    package let hash: Int

    /// Creates a key, by default of the image as it is in the file.
    public init(resource: ResourceKey, variant: ImageVariant = .plain) {
        self.resource = resource
        self.variant = variant
        guard !variant.isPlain else {
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

    public var description: String { variant.isPlain ? resource.text : "\(resource.text) | \(variant)" }
}
