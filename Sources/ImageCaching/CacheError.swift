public import ImageCore

extension ImageError.Code {
    /// An operation of a cache failed. Loads continue without the cache.
    public static let cacheFailed = Self("cacheFailed", .limits)
}
