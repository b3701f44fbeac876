public import ImageCore

extension ImageError.Code {
    /// A cache could not do what was asked of it. Loads go on without it.
    public static let cacheFailed = Self("cacheFailed", .limits)
}
