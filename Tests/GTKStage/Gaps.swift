#if GTK
    import CCalotypeGTK
    import CCalotypeGTKStage

    /// How regularly the loop turns, as a timer of 4 ms sees it, and who had the time of those gaps that are too long for sixty
    /// frames a second: this framework, GTK, or neither, since the thread waited or another program ran. In microseconds.
    struct Gaps: CustomStringConvertible {
        private struct Moment {
            var clock = calotype_stage_now()
            /// The main thread's processor time.
            var processor = calotype_stage_processor()
            /// Of both, what this framework took.
            var ours = calotype_gtk_turns_of(Int32(CALOTYPE_GTK_ALL)).total
        }

        private static let limit: Int64 = 16_000

        private var last: Moment?
        private var ticks = 0
        private var longest: Int64 = 0
        /// This framework's processor time in the gap that had most of it.
        private var mostOfOurs: Int64 = 0
        /// Gaps above the limit: how many, what they took, and how many would have been within it without this framework.
        private var (over, tipped) = (0, 0)
        private var (overTotal, overOurs, overGTK): (Int64, Int64, Int64) = (0, 0, 0)

        mutating func tick() -> Bool {
            let now = Moment()
            if let last {
                let gap = now.clock - last.clock
                let ours = now.ours.processor - last.ours.processor
                ticks += 1
                longest = max(longest, gap)
                mostOfOurs = max(mostOfOurs, ours)
                if gap > Gaps.limit {
                    over += 1
                    if gap - (now.ours.clock - last.ours.clock) <= Gaps.limit { tipped += 1 }
                    overTotal += gap
                    overOurs += ours
                    overGTK += now.processor - last.processor - ours
                }
            }
            last = now
            return true
        }

        var description: String {
            "ticks=\(ticks) longest=\(longest) most-of-ours=\(mostOfOurs) over16ms=\(over) tipped-by-ours=\(tipped) "
                + "over-total=\(overTotal) over-ours=\(overOurs) over-gtk=\(overGTK) over-waiting=\(overTotal - overOurs - overGTK)"
        }
    }
#endif
