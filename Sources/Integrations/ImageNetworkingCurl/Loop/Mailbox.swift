internal import ImageCore

/// How tasks reach the loop's thread: a list of messages, and a way to wake the thread once per batch.
final class Mailbox: Sendable {
    struct Message: Sendable {
        enum Kind {
            case start, cancel, resume
        }

        let kind: Kind
        let fetch: Fetch
    }

    private enum Phase {
        /// No fetch has started a thread yet, or there was none to start.
        case idle
        /// There is a thread. Until its loop has a handle, it will look at the messages without being woken.
        case running(MultiHandle?)
        /// The loop is to end; no message is accepted any more.
        case closing
        /// The loop has released everything.
        case closed
    }

    private struct State {
        var phase = Phase.idle
        var messages: [Message] = []
        /// Whether the loop's thread will look at the messages again before it sleeps.
        var isAwake = true
        var closeWaiters: [CheckedContinuation<Void, Never>] = []

        /// Has the thread look at the messages once more.
        mutating func wake(_ multi: MultiHandle?) {
            // Under the lock, since the handle must not be freed meanwhile.
            if !isAwake { multi?.wakeUp() }
            isAwake = true
        }

        mutating func close() {
            switch phase {
            case .idle: phase = .closed
            case .running(let multi):
                phase = .closing
                wake(multi)
            case .closing, .closed: break
            }
        }

        /// Ends the phase; returns those that wait for it.
        mutating func enter(_ next: Phase) -> [CheckedContinuation<Void, Never>] {
            phase = next
            defer { closeWaiters = [] }
            return closeWaiters
        }
    }

    private let state = Lock(State())
    private let spawn: @Sendable (Mailbox) -> Bool

    /// - Parameter spawn: starts the loop's thread when the first fetch starts; returns `false` when the system gives
    ///   none.
    init(spawn: @escaping @Sendable (Mailbox) -> Bool) { self.spawn = spawn }

    // MARK: The tasks' side

    /// Adds a message. Returns why it is rejected, if it is.
    func post(_ kind: Message.Kind, _ fetch: Fetch) -> ImageError? {
        let (isAccepted, mustSpawn) = state.withLock { state in
            switch state.phase {
            case .closing, .closed: return (false, false)
            case .idle:
                guard kind == .start else { return (true, false) }
                state.phase = .running(nil)
                state.messages.append(Message(kind: kind, fetch: fetch))
                return (true, true)
            case .running(let multi):
                state.messages.append(Message(kind: kind, fetch: fetch))
                state.wake(multi)
                return (true, false)
            }
        }
        guard isAccepted else { return ImageError(.loaderClosed, message: "The loader is closed; make a new one.") }
        if mustSpawn, !spawn(self) { failToStart("The system has no thread left for network transfers.") }
        return nil
    }

    /// Has the loop end soon, without waiting for it.
    func close() { state.withLock { $0.close() } }

    /// Closes for good, and returns when the loop's thread has released everything.
    func closeAndWait() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                state.close()
                if case .closed = state.phase { return true }
                state.closeWaiters.append(continuation)
                return false
            }
            if isClosed { continuation.resume() }
        }
    }

    // MARK: The loop's side

    /// There is no thread or no loop: rejects the messages. The next message tries to start a thread again.
    func failToStart(_ reason: String) {
        let (messages, waiters) = state.withLock { state in
            defer { state.messages = [] }
            // No thread is left that could report the end.
            if case .closing = state.phase { return (state.messages, state.enter(.closed)) }
            return (state.messages, state.enter(.idle))
        }
        let error = ImageError(.connectionFailed, message: reason)
        for message in messages { message.reject(error) }
        for waiter in waiters { waiter.resume() }
    }

    /// The loop has a handle, by which it can be woken until it is to end.
    func attach(_ multi: MultiHandle) {
        state.withLock { state in if case .running = state.phase { state.phase = .running(multi) } }
    }

    /// Replaces `messages`, which is empty, by those since the last call. From here on the loop needs no waking until
    /// it sleeps.
    ///
    /// - Returns: whether the loop continues. If not, these messages are the last, and the caller rejects them.
    func collect(into messages: inout [Message]) -> Bool {
        state.withLock { state in
            state.isAwake = true
            swap(&state.messages, &messages)
            if case .running = state.phase { return true }
            return false
        }
    }

    /// Whether there is nothing to do, so that the thread may sleep until the next message wakes it.
    func maySleep() -> Bool {
        state.withLock { state in
            guard state.messages.isEmpty, case .running = state.phase else { return false }
            state.isAwake = false
            return true
        }
    }

    /// The loop has released everything.
    func finish() {
        for waiter in state.withLock({ $0.enter(.closed) }) { waiter.resume() }
    }
}

extension Mailbox.Message {
    /// Fails a fetch that no loop takes.
    func reject(_ error: ImageError) { if kind == .start { fetch.fail(error) } }
}
