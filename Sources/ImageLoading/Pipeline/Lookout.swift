internal import ImageCore

/// What a worker without work does for a moment before it sleeps: it looks out for the next job. To wake a thread that
/// sleeps takes longer than all else that the engine does for a load.
extension Lookout {
    /// How long a thread looks out: a value that learns from how it went.
    struct Patience: Hashable, Sendable {
        /// Looks in a row, with other threads let before each; a look takes half a microsecond.
        private(set) var looks: Int

        private static let most = 32

        /// - Parameter processors: with one there is nothing to look out for, since whoever makes jobs needs it.
        init(processors: Int) { looks = processors > 1 ? Patience.most : 0 }

        /// Whether looking out is of no use at all.
        var isOver: Bool { looks == 0 }

        /// A thread has looked out. Where no job comes in time, the next ones are looked out for less and less.
        mutating func looked(wasWorthIt: Bool) {
            looks = wasWorthIt ? min(2 * looks, Patience.most) : max(looks / 2, min(looks, 1))
        }
    }
}
