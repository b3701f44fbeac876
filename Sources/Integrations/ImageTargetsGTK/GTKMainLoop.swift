#if GTK
    internal import CCalotypeLibGTK
    internal import CalotypeSystem
    // Links the functions of libdispatch that the module of GTK declares.
    internal import Dispatch

    /// Runs Swift's main actor in GLib's main loop.
    @MainActor public enum GTKMainLoop {
        private static var isAttached = false

        /// Lets GLib's default main context run the jobs of the main actor. Without it, no image arrives.
        ///
        /// Call it once from a synchronous `main`, before `g_application_run`. In an asynchronous `main`, Swift's own
        /// loop occupies the main thread. Further calls do nothing.
        public static func attach() {
            guard !isAttached else { return }
            isAttached = true
            let drain: GUnixFDSourceFunc = { handle, _, _ in
                // The handle is an eventfd. Unless it is read, it stays readable and the loop spins.
                var count: UInt64 = 0
                while unsafe read(handle, &count, 8) < 0, errno == EINTR {}
                _dispatch_main_queue_callback_4CF(nil)
                return 1
            }
            unsafe g_unix_fd_add(_dispatch_get_main_queue_handle_4CF(), G_IO_IN, drain, nil)
        }
    }
#endif
