#if canImport(os)
    internal import os

    /// A mutual-exclusion lock around a value: the leaf lock of every module. The platform's own unfair lock, because
    /// `Mutex` is missing on the oldest Apple systems supported.
    ///
    /// Never call foreign code while holding one: take a snapshot, leave, then call.
    public struct Lock<State: Sendable>: Sendable {
        private let base: OSAllocatedUnfairLock<State>

        public init(_ state: State) { base = OSAllocatedUnfairLock(initialState: state) }

        /// Runs `body` with exclusive access to the state and returns what it returns.
        public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R { try base.withLock(body) }
    }
#else
    public import Synchronization

    /// A mutual-exclusion lock around a value: the leaf lock of every module.
    ///
    /// Never call foreign code while holding one: take a snapshot, leave, then call.
    public struct Lock<State>: ~Copyable, Sendable {
        @usableFromInline let base: Mutex<State>
        #if THREAD_SANITIZER
            /// Tells the sanitizer who comes after whom. A contended `Mutex` waits in code of the system's that the sanitizer
            /// does not see, so that it would take what two holders do in turn for a race.
            @usableFromInline let turn = Atomic(false)
        #endif

        @inlinable
        public init(_ state: consuming sending State) { base = Mutex(state) }

        /// Runs `body` with exclusive access to the state and returns what it returns.
        @inlinable
        public func withLock<R, E: Error>(_ body: (inout sending State) throws(E) -> sending R) throws(E) -> sending R {
            #if THREAD_SANITIZER
                try base.withLock { state throws(E) in
                    _ = turn.load(ordering: .acquiring)
                    defer { turn.store(true, ordering: .releasing) }
                    return try body(&state)
                }
            #else
                try base.withLock(body)
            #endif
        }
    }
#endif
