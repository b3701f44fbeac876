#if GTK
    import CalotypeTesting

    /// How long the main thread works between two turns of GLib's loop: its processor time between two calls of a frequent timer.
    /// Other programs, which may take the processors for as long as they like, make no difference to it.
    struct LoopWork: CustomStringConvertible {
        /// A frame at sixty a second.
        private static let frame = Duration.milliseconds(16)

        private var last: Duration?
        private var (turns, longTurns) = (0, 0)
        private var (longest, total) = (Duration.zero, Duration.zero)

        mutating func tick() {
            let now = ThreadTime.now
            if let last {
                let work = now - last
                turns += 1
                total += work
                longest = max(longest, work)
                if work > LoopWork.frame { longTurns += 1 }
            }
            last = now
        }

        /// Times in microseconds.
        var description: String {
            let (longest, total) = (Int(longest / .microseconds(1)), Int(total / .microseconds(1)))
            return "turns=\(turns) over16ms=\(longTurns) longest=\(longest) total=\(total)"
        }
    }
#endif
