/// The times and counts of a load. The time of a stage is the time that it worked; it is zero for a stage that did not
/// run.
public struct LoadMetrics: Hashable, Sendable, CustomStringConvertible {
    /// The size of the encoded image in bytes.
    public var byteCount = 0
    /// Whether the load shared work that another load had started.
    public var isCoalesced = false
    /// The attempts of the fetch after the first.
    public var retries = 0
    /// The time from the start of the load to its end, including waits.
    public var total: Duration = .zero
    /// The time of waiting in the queues of the network and of the worker threads.
    public var waiting: Duration = .zero
    /// The time of looking the processed image up in the data cache.
    public var processedCache: Duration = .zero
    /// The time of looking the original bytes up in the data cache.
    public var originalCache: Duration = .zero
    /// The time of fetching the bytes.
    public var network: Duration = .zero
    /// The time of decoding.
    public var decode: Duration = .zero
    /// The time of all processors together.
    public var process: Duration = .zero
    /// The time of encoding, for a load that wants the bytes of a format.
    public var encode: Duration = .zero

    /// Creates times and counts of zero.
    public init() {}

    /// The total time, and every other time and count that is not zero, such as
    /// `total 31 ms, network 20 ms, decode 8.5 ms, 12034 bytes, 1 retry, coalesced`.
    public var description: String {
        let stages = [
            ("waiting", waiting), ("processedCache", processedCache), ("originalCache", originalCache), ("network", network),
            ("decode", decode), ("process", process), ("encode", encode),
        ]
        var parts = ["total \(total.inSecondsOrMilliseconds)"]
        parts += stages.filter { $0.1 > .zero }.map { "\($0.0) \($0.1.inSecondsOrMilliseconds)" }
        if byteCount > 0 { parts.append("\(byteCount) bytes") }
        if retries > 0 { parts.append(retries == 1 ? "1 retry" : "\(retries) retries") }
        if isCoalesced { parts.append("coalesced") }
        return parts.joined(separator: ", ")
    }
}
