/// What a step of work occupies while it runs. Each class has its own queue and limits.
enum ResourceClass: Int, CaseIterable, Sendable {
    /// A lookup in the data cache, which limits itself.
    case diskCache
    /// A fetch over the network: limited in total and per host.
    case network
    /// The read of a local file, or a closure of the caller.
    case local
    /// Decoding and processing, on the loader's worker threads.
    case worker
}

extension ResourceClass {
    /// Whether work may have to wait for it.
    var isLimited: Bool { self != .diskCache }
}
