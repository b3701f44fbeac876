#if GTK
    import CCalotypeGTK
    import CCalotypeGTKStage

    /// How regularly the loop turns, as a timer of 4 ms sees it, and who had the time of those gaps that are too long for sixty
    /// frames a second: this framework, GTK, or another program, while the thread waited for a processor. In microseconds.
    ///
    /// What this framework holds the loop for is the clock's time within its own calls, with every wait for a lock, a file or a
    /// page of memory, but without the time for which the thread could have run and the system gave it no processor: such a gap
    /// is nobody's who runs on this loop. Nor is one in which it waits for a lock whose holder has no processor. Who holds it is
    /// not known: a wait is left out as far as any one thread has gone without a processor meanwhile.
    struct Gaps: CustomStringConvertible {
        private struct Moment {
            var all = calotype_gtk_now()
            /// Of it, what this framework took.
            var ours = calotype_gtk_turns_of(Int32(CALOTYPE_GTK_ALL)).total
            /// The longest that another thread went without a processor since the last moment.
            var othersDelay = calotype_stage_longest_delay()
        }

        private static let limit: Int64 = 16_000

        private var last: Moment?
        private var ticks = 0
        private var longest: Int64 = 0
        /// The most that this framework had of one gap: held, of processor time, and by the clock.
        private var most = calotype_gtk_time()
        /// The same of what it held without the waits for a thread that had no processor.
        private var mostOfOurs: Int64 = 0
        /// Gaps above the limit: how many, and how many would have been within it without this framework, the waits for a
        /// processor left out of both.
        private var (over, tipped) = (0, 0)
        /// What the former took, and of it what was this framework's, GTK's, and a wait for a processor.
        private var (overTotal, overOurs, overGTK, overDelayed): (Int64, Int64, Int64, Int64) = (0, 0, 0, 0)

        mutating func tick() -> Bool {
            let now = Moment()
            if let last {
                let (gap, held) = (now.all.clock - last.all.clock, now.all.held - last.all.held)
                let ours = now.ours.held - last.ours.held
                ticks += 1
                longest = max(longest, gap)
                let waited = ours - (now.ours.processor - last.ours.processor)
                mostOfOurs = max(mostOfOurs, ours - min(max(0, waited), now.othersDelay))
                most.held = max(most.held, ours)
                most.processor = max(most.processor, now.ours.processor - last.ours.processor)
                most.clock = max(most.clock, now.ours.clock - last.ours.clock)
                if held > Gaps.limit, held - ours <= Gaps.limit { tipped += 1 }
                if gap > Gaps.limit {
                    over += 1
                    overTotal += gap
                    overOurs += ours
                    overGTK += held - ours
                    overDelayed += gap - held
                }
            }
            last = now
            return true
        }

        var description: String {
            "ticks=\(ticks) longest=\(longest) ours=\(mostOfOurs) ours-held=\(most.held) ours-processor=\(most.processor) ours-clock=\(most.clock) "
                + "over16ms=\(over) tipped-by-ours=\(tipped) over-total=\(overTotal) over-ours=\(overOurs) over-gtk=\(overGTK) "
                + "over-without-processor=\(overDelayed)"
        }
    }
#endif
