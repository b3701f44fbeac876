#if GTK
    internal import CCalotypeGTK

    /// Runs Swift's main actor in GLib's main loop.
    @MainActor public enum GTKMainLoop {
        /// Lets GLib's default main context run the jobs of the main actor. Without it, no image arrives.
        ///
        /// Call it once from a synchronous `main`, before `g_application_run`. In an asynchronous `main`, Swift's own loop occupies
        /// the main thread. Further calls do nothing.
        public static func attach() { calotype_gtk_attach_main_queue() }
    }
#endif
