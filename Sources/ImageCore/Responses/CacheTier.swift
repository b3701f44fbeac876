/// Where a load found its image.
public enum CacheTier: String, Hashable, Sendable, CaseIterable {
    /// The memory cache, which stores decoded and processed images.
    case memory
    /// The data cache, which stores encoded images.
    case disk
    /// A local source, which no cache stores: a file, a `data:` URL, bytes in memory or a closure.
    case local
    /// The network, or the loader of a plug-in's scheme.
    case network
}
