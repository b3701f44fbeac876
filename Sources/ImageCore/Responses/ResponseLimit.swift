internal import CalotypeSystem

/// The largest response body that a loader accepts unless its configuration or the request sets another limit.
public enum ResponseLimit {
    /// The limit in bytes: 200 MB, or a tenth of the memory that the process may use if that is less.
    public static let standard = limit(memory: AvailableMemory.current())

    static func limit(memory: Int) -> Int { min(200_000_000, memory / 10) }
}
