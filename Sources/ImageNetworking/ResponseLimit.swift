/// How much one response may take where nobody says otherwise.
public enum ResponseLimit {
    /// The lesser of 200 MB and a tenth of the memory that the process may use, in bytes.
    public static let standard = limit(memory: PhysicalMemory.byteCount)

    static func limit(memory: Int?) -> Int { min(200_000_000, (memory ?? 2_000_000_000) / 10) }
}
