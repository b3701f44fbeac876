#if canImport(Darwin)
    internal import CCalotypeCurl
    internal import ImageCore

    /// Which of libcurl's sockets are ready, by libcurl's own poll. For the loop's thread alone.
    @safe final class Readiness {
        /// By which other threads wake the loop; may outlive it.
        final class Waker: Sendable {
            private let multi: Lock<MultiHandle?>

            fileprivate init(_ multi: MultiHandle) { self.multi = Lock(multi) }

            // Under the lock, since the handle must not be freed meanwhile.
            func wakeUp() { multi.withLock { multi in if let multi { _ = unsafe curl_multi_wakeup(multi.pointer) } } }

            fileprivate func forget() { multi.withLock { $0 = nil } }
        }

        let waker: Waker
        private let multi: MultiHandle

        init?(_ multi: MultiHandle) {
            self.multi = multi
            waker = Waker(multi)
        }

        deinit { waker.forget() }

        /// Waits until a socket is ready, a timer is due, the loop is woken, or `limit` is over. Returns whether a socket is ready.
        @discardableResult
        func wait(atMost limit: Duration?) -> Bool {
            var ready: Int32 = 0
            _ = unsafe curl_multi_poll(multi.pointer, nil, 0, Int32(clamping: limit?.inMilliseconds ?? 60_000), &ready)
            return ready > 0
        }

        /// Finds out which sockets are ready, without waiting: libcurl does by itself.
        func look() {}

        /// Lets libcurl do what can be done now.
        func work(_ now: ContinuousClock.Instant) {
            var running: Int32 = 0
            _ = unsafe curl_multi_perform(multi.pointer, &running)
        }

        /// A socket that libcurl is given.
        func opened(_ socket: Int32) {}

        /// libcurl is about to open sockets of its own.
        func lookupBegins() {}
    }
#endif
