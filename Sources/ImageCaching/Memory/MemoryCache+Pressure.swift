extension MemoryCache {
    /// How much a cache keeps when memory runs short, as shares of what it holds, 0 to 1.
    public struct TrimPolicy: Hashable, Sendable {
        /// When the app goes to the background; a quarter by default.
        public var background: Double
        /// When the system warns; half by default.
        public var warning: Double
        /// When memory is about to run out; nothing by default.
        public var critical: Double

        public init(background: Double = 0.25, warning: Double = 0.5, critical: Double = 0) {
            (self.background, self.warning, self.critical) = (background, warning, critical)
        }

        /// Keeps everything, whatever happens.
        public static let none = TrimPolicy(background: 1, warning: 1, critical: 1)

        /// What is kept, 0 to 1.
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

    /// Makes room as the trim policy says, as if the system had told this cache alone.
    public func relieve(_ pressure: MemoryPressure) {
        let share = trimPolicy.share(at: pressure)
        guard share < 1 else { return }
        trim(toCost: Int(Double(statistics.cost) * share))
    }
}
