internal import ImageCore

extension MemoryCache {
    /// Evicts the least recently used entries, as after a report of the system to this cache alone: half of the cost at
    /// a warning, three quarters in the background, and everything when memory is about to run out.
    public func respond(to pressure: MemoryPressure) {
        let keptShare =
            switch pressure {
            case .background: 0.25
            case .warning: 0.5
            case .critical: 0.0
            }
        trim(toBytes: Int(Double(statistics.byteCount) * keptShare))
    }
}
