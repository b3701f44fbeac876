/// What a step of work occupies while it runs. Each class has its own queue and limits.
enum ResourceClass: Int, CaseIterable, Sendable {
    /// A lookup in the data cache: no limit here, the cache has its own.
    case diskCache
    /// A fetch over the network: limited in total and per host.
    case network
    /// A local file or a caller's closure.
    case local
    /// Decoding and processing, on the loader's own threads.
    case worker
}

extension ResourceClass {
    /// Whether work may have to wait for it.
    var isLimited: Bool { self != .diskCache }
}
