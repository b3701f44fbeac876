/// The stages of a load, in order.
public enum LoadStage: String, Hashable, Sendable, CaseIterable {
    /// Checks the request and merges its options.
    case request
    /// Looks the image up in the memory cache.
    case memoryCache
    /// Looks the processed image up in the data cache.
    case processedCache
    /// Looks the original bytes up in the data cache.
    case originalCache
    /// Fetches the bytes.
    case network
    /// Decodes the bytes.
    case decode
    /// Runs the processors.
    case process
    /// Encodes the image, for a load that wants the bytes of a format.
    case encode
    /// Stores bytes and images in the caches.
    case store
    /// Delivers the result to the caller.
    case deliver
    /// Revalidates a stale entry that a cache has served. It runs in the background, may end after the load, and is
    /// reported for the load that found the entry.
    case revalidate
}
