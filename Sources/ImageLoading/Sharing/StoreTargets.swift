/// Where loads want results stored.
struct StoreTargets: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// The image in the memory cache.
    static let memory = StoreTargets(rawValue: 1)
    /// The original bytes in the data cache.
    static let original = StoreTargets(rawValue: 2)
    /// The processed image in the data cache, encoded.
    static let processed = StoreTargets(rawValue: 4)
}
