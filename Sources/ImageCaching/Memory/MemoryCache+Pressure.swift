internal import ImageCore

extension MemoryCache {
    /// How much a cache keeps under memory pressure, as shares of its cost, 0 to 1.
    public struct TrimPolicy: Hashable, Sendable {
        /// The share kept when the app enters the background; 0.25 by default.
        public var background: Double
        /// The share kept on a warning of the system; 0.5 by default.
        public var warning: Double
        /// The share kept when memory is about to run out; 0 by default.
        public var critical: Double

        /// Creates a policy from the shares to keep, 0 to 1.
        public init(background: Double = 0.25, warning: Double = 0.5, critical: Double = 0) {
            (self.background, self.warning, self.critical) = (background, warning, critical)
        }

        /// Keeps everything under any pressure.
        public static let none = TrimPolicy(background: 1, warning: 1, critical: 1)

        /// The share to keep at a level of pressure, 0 to 1.
        public func share(at pressure: MemoryPressure) -> Double {
            let share =
                switch pressure {
                case .background: background
                case .warning: warning
                case .critical: critical
                }
            return min(max(0, share), 1)
        }
    }

    /// Evicts entries as the trim policy says, as after a report of the system to this cache alone.
    public func respond(to pressure: MemoryPressure) {
        let share = trimPolicy.share(at: pressure)
        guard share < 1 else { return }
        trim(toBytes: Int(Double(statistics.byteCount) * share))
    }
}
