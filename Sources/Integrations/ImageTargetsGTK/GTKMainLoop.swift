#if GTK
    internal import CCalotypeGTK

    /// Swift's main actor under GLib's loop.
    @MainActor public enum GTKMainLoop {
        /// Lets GLib's default main context run what is queued for the main actor; without it no image ever arrives.
        ///
        /// Call it once from a synchronous `main`, before `g_application_run`: under an asynchronous one, Swift's own loop
        /// has the main thread. Further calls do nothing.
        public static func attach() { calotype_gtk_attach_main_queue() }
    }
#endif
