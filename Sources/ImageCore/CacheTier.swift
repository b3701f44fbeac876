/// Where a load found its image.
public enum CacheTier: String, Hashable, Sendable, CaseIterable {
    /// The memory cache, which stores decoded and processed images.
    case memory
    /// The data cache, which stores encoded images.
    case disk
    /// The source. Local files and bytes in memory count as network.
    case network
}
