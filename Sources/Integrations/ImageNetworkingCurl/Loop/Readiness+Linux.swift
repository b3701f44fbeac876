#if os(Linux) || os(Android)
    internal import CCalotypeCurl
    internal import CCalotypeSockets
    internal import CalotypeSystem
    internal import ImageCore

    /// Which of libcurl's sockets are ready: libcurl says which it waits for, one epoll waits for them all, and libcurl is
    /// only called for those where something happened. For the loop's thread alone.
    @safe final class Readiness {
        /// By which other threads wake the loop; may outlive it.
        final class Waker: Sendable {
            fileprivate let descriptor: Int32

            fileprivate init?() {
                descriptor = calotype_event_create()
                guard descriptor >= 0 else { return nil }
            }

            deinit { close(descriptor) }

            func wakeUp() { calotype_event_signal(descriptor) }
        }

        /// What is known of a socket, by its number.
        private struct Watched {
            /// What libcurl waits for.
            var wanted: Int32 = 0
            /// What the kernel watches for.
            var watched: Int32 = 0
            /// Whether it was opened here. libcurl also waits for sockets that it opens itself, and does not report when it closes them.
            var isOwn = false
        }

        private let multi: MultiHandle
        private let epoll: Int32
        let waker: Waker
        private var sockets: [Watched] = []
        /// When libcurl is to be called though nothing happens.
        private var deadline: ContinuousClock.Instant?
        /// Whether that is now.
        private var isDue = false
        private var ready = [calotype_ready](repeating: calotype_ready(), count: 64)
        private var readyCount = 0

        /// `nil` when the system has no descriptor left.
        init?(_ multi: MultiHandle) {
            self.multi = multi
            guard let waker = Waker() else { return nil }
            self.waker = waker
            epoll = calotype_epoll_create()
            guard epoll >= 0 else { return nil }
            calotype_epoll_watch(epoll, waker.descriptor, 0, Int32(CALOTYPE_SIGNALLED))
            let context = unsafe Unmanaged.passUnretained(self).toOpaque()
            _ = unsafe calotype_curl_multi_set_socket_callback(multi.pointer, curlWatchesSocket)
            _ = unsafe calotype_curl_multi_set_pointer(multi.pointer, CURLMOPT_SOCKETDATA, context)
            _ = unsafe calotype_curl_multi_set_timer_callback(multi.pointer, curlSetsTimer)
            _ = unsafe calotype_curl_multi_set_pointer(multi.pointer, CURLMOPT_TIMERDATA, context)
        }

        deinit { close(epoll) }

        /// Waits until a socket is ready, a timer is due, the loop is woken, or `limit` is over. Returns whether a socket is ready
        /// or the loop was woken.
        @discardableResult
        func wait(atMost limit: Duration?) -> Bool {
            var time = limit.map { Int32(clamping: $0.inMilliseconds) } ?? -1
            if isDue {
                time = 0
            } else if let deadline {
                // Rounded up: a timer that is asked for too early is asked for again and again.
                let left = Swift.max(.zero, ContinuousClock.now.duration(to: deadline) + .microseconds(999))
                let (seconds, attoseconds) = left.components
                let due = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
                time = time < 0 ? due : Swift.min(time, due)
            }
            readyCount = Int(unsafe calotype_epoll_wait(epoll, &ready, Int32(ready.count), time))
            return readyCount > 0
        }

        /// Finds out which sockets are ready, without waiting.
        func look() { readyCount = Int(unsafe calotype_epoll_wait(epoll, &ready, Int32(ready.count), 0)) }

        /// Lets libcurl do what can be done now.
        func work(_ now: ContinuousClock.Instant) {
            var running: Int32 = 0
            for index in 0..<readyCount {
                let (socket, events) = (ready[index].descriptor, ready[index].events)
                if socket == waker.descriptor { continue }
                // What libcurl did for one socket may have made another event outdated.
                let wanted = watched(socket).wanted
                guard wanted != 0 else {
                    tell(socket, 0)
                    continue
                }
                var mask: Int32 = 0
                if events & readable != 0 { mask |= CURL_CSELECT_IN }
                if events & writable != 0 { mask |= CURL_CSELECT_OUT }
                // Reading or writing tells libcurl what is wrong.
                if events & broken != 0 { mask |= wanted & writable != 0 ? CURL_CSELECT_OUT : CURL_CSELECT_IN }
                _ = unsafe curl_multi_socket_action(multi.pointer, socket, mask, &running)
            }
            readyCount = 0
            if isDue || deadline.map({ $0 <= now }) == true {
                (isDue, deadline) = (false, nil)
                _ = unsafe curl_multi_socket_action(multi.pointer, CURL_SOCKET_TIMEOUT, 0, &running)
            }
        }

        /// A socket that libcurl is given. Its number may have been another's before.
        func opened(_ socket: Int32) {
            grow(to: socket)
            if socket >= 0, Int(socket) < sockets.count { sockets[Int(socket)] = Watched(isOwn: true) }
        }

        /// libcurl is about to open sockets of its own, for a name lookup. They may get the numbers of those that it closed and
        /// that were not removed from the kernel's set.
        func lookupBegins() {
            for (socket, watched) in sockets.enumerated() where watched.wanted == 0 { tell(Int32(socket), 0) }
        }

        func watch(_ socket: Int32, _ what: Int32) {
            grow(to: socket)
            guard socket >= 0, Int(socket) < sockets.count else { return }
            var wanted: Int32 = 0
            if what == CURL_POLL_IN || what == CURL_POLL_INOUT { wanted |= readable }
            if what == CURL_POLL_OUT || what == CURL_POLL_INOUT { wanted |= writable }
            sockets[Int(socket)].wanted = wanted
            // libcurl releases a connection between two transfers and takes it again: the kernel is updated only if an event occurs
            // in between.
            if wanted == 0, sockets[Int(socket)].isOwn, sockets[Int(socket)].watched == readable { return }
            tell(socket, wanted)
            if what == CURL_POLL_REMOVE, !sockets[Int(socket)].isOwn { sockets[Int(socket)] = Watched() }
        }

        fileprivate func setTimer(milliseconds: Int) {
            // Never from here: libcurl must not be called from its own callback.
            isDue = milliseconds == 0
            deadline = milliseconds > 0 ? .now + .milliseconds(milliseconds) : nil
        }

        private func watched(_ socket: Int32) -> Watched {
            socket >= 0 && Int(socket) < sockets.count ? sockets[Int(socket)] : Watched()
        }

        private func grow(to socket: Int32) {
            // The kernel gives the lowest number that is free, so numbers are small.
            while socket >= 0, sockets.count <= Int(socket) { sockets.append(Watched()) }
        }

        private func tell(_ socket: Int32, _ wanted: Int32) {
            guard socket >= 0, Int(socket) < sockets.count, sockets[Int(socket)].watched != wanted else { return }
            calotype_epoll_watch(epoll, socket, sockets[Int(socket)].watched, wanted)
            sockets[Int(socket)].watched = wanted
        }
    }

    private let readable = Int32(CALOTYPE_READABLE)
    private let writable = Int32(CALOTYPE_WRITABLE)
    private let broken = Int32(CALOTYPE_BROKEN)

    private func curlWatchesSocket(
        _ handle: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ what: Int32, _ context: UnsafeMutableRawPointer?,
        _ own: UnsafeMutableRawPointer?
    ) -> Int32 {
        if let context = unsafe context {
            unsafe Unmanaged<Readiness>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.watch(socket, what) }
        }
        return 0
    }

    private func curlSetsTimer(
        _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?
    ) -> Int32 {
        if let context = unsafe context {
            unsafe Unmanaged<Readiness>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.setTimer(milliseconds: milliseconds) }
        }
        return 0
    }
#endif
