#if canImport(os)
    internal import os

    /// A mutual-exclusion lock around a value.
    ///
    /// Do not call plug-ins or callbacks while holding it: copy what the call needs, release the lock, then call. Uses
    /// the unfair lock of the platform, because the oldest supported Apple systems have no `Mutex`.
    public struct Lock<State>: Sendable {
        private let box: Box

        /// Creates a lock around a value.
        public init(_ state: consuming sending State) { box = Box(state) }

        /// Calls `body` with exclusive access to the state and returns its result.
        public func withLock<R, E: Error>(_ body: (inout sending State) throws(E) -> sending R) throws(E) -> sending R {
            box.lock.lock()
            defer { box.lock.unlock() }
            return try unsafe body(&box.state.pointee)
        }

        // @unchecked because the state is accessed only while the lock is held. `OSAllocatedUnfairLock<State>` would
        // require `Sendable` states and results, which a mutex does not need.
        @safe private final class Box: @unchecked Sendable {
            let lock = OSAllocatedUnfairLock()
            let state: UnsafeMutablePointer<State>

            init(_ state: consuming sending State) {
                unsafe self.state = .allocate(capacity: 1)
                unsafe self.state.initialize(to: state)
            }

            deinit {
                unsafe state.deinitialize(count: 1)
                unsafe state.deallocate()
            }
        }
    }
#else
    public import Synchronization

    /// A mutual-exclusion lock around a value.
    ///
    /// Do not call plug-ins or callbacks while holding it: copy what the call needs, release the lock, then call.
    public struct Lock<State>: ~Copyable, Sendable {
        @usableFromInline let base: Mutex<State>
        #if THREAD_SANITIZER
            /// Reports the order of lock holders to the thread sanitizer. A contended `Mutex` waits in system code that
            /// the sanitizer does not see, so it would report a race between two holders.
            @usableFromInline let order = Atomic(false)
        #endif

        /// Creates a lock around a value.
        @inlinable
        public init(_ state: consuming sending State) { base = Mutex(state) }

        /// Calls `body` with exclusive access to the state and returns its result.
        @inlinable
        public func withLock<R, E: Error>(_ body: (inout sending State) throws(E) -> sending R) throws(E) -> sending R {
            #if THREAD_SANITIZER
                try base.withLock { state throws(E) in
                    _ = order.load(ordering: .acquiring)
                    defer { order.store(true, ordering: .releasing) }
                    return try body(&state)
                }
            #else
                try base.withLock(body)
            #endif
        }
    }
#endif
