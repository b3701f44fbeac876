#if GTK
    internal import CCalotypeGTK

    /// Swift's main actor under GLib's loop.
    @MainActor public enum GTKMainLoop {
        /// Lets GLib's default main context run what is queued for the main actor; without it no image ever arrives.
        ///
        /// Call it once from a synchronous `main`, before `g_application_run`: under an asynchronous one, Swift's own loop
        /// has the main thread. Further calls do nothing.
        public static func attach() { calotype_gtk_attach_main_queue() }

        /// The longest processor time that one turn of the main actor, or of a grid's own work, has held up the loop since
        /// this was last asked, and how many turns there were.
        public static func takeLongestTurn() -> (time: Duration, turns: Int) {
            var turns: Int64 = 0
            let longest = unsafe calotype_gtk_take_longest_turn(&turns)
            return (.microseconds(longest), Int(turns))
        }
    }
#endif
