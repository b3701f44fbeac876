internal import CalotypeSystem

/// A value with a mutex and a condition variable, so that threads can wait for changes of the value.
@safe final class Monitor<State>: @unchecked Sendable {  // because `value` is touched only with the mutex held
    private var value: State
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init(_ value: State) {
        self.value = value
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` with exclusive access, then wakes the waiting threads.
    func withLock<R>(_ body: (inout State) throws -> R) rethrows -> R {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(condition)
            unsafe pthread_mutex_unlock(mutex)
        }
        return try body(&value)
    }

    /// Blocks the thread until `condition` holds.
    func wait(until isMet: (State) -> Bool) {
        unsafe pthread_mutex_lock(mutex)
        while !isMet(value) { unsafe pthread_cond_wait(condition, mutex) }
        unsafe pthread_mutex_unlock(mutex)
    }
}
