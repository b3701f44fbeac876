/// The largest response body that a loader accepts unless its configuration or the request sets another limit.
public enum ResponseLimit {
    /// In bytes: the lesser of 200 MB and a tenth of the memory that the process may use.
    public static let standard = limit(memory: PhysicalMemory.byteCount)

    static func limit(memory: Int?) -> Int { min(200_000_000, (memory ?? 2_000_000_000) / 10) }
}
