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

    fileprivate struct State {
        var messages: [Message] = []
        /// Whether the loop's thread will look at the messages again before it sleeps.
        var isAwake = true
        var hasThread = false
        /// The loop is to end.
        var isClosing = false
        /// No message is accepted any more.
        var isClosed = false
        /// The loop has released everything.
        var isFinished = false
        var waker: Readiness.Waker?
        var closeWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())
    private let spawn: @Sendable (Mailbox) -> Bool

    /// - Parameter spawn: starts the loop's thread when the first fetch starts; returns `false` when the system gives none.
    init(spawn: @escaping @Sendable (Mailbox) -> Bool) { self.spawn = spawn }

    // MARK: The tasks' side

    /// What remains to be done outside the lock, which the loop takes as soon as it is awake.
    fileprivate enum Action {
        case none, wake(Readiness.Waker), startThread, reject
    }

    /// Adds a message. Returns why it is rejected, if it is.
    func post(_ kind: Message.Kind, _ fetch: Fetch) -> ImageError? {
        let action = state.withLock { state -> Action in
            if state.isClosed { return .reject }
            guard state.hasThread || kind == .start else { return .none }
            state.messages.append(Message(kind: kind, fetch: fetch))
            guard state.hasThread else {
                state.hasThread = true
                return .startThread
            }
            return state.wake()
        }
        return perform(action)
    }

    private func perform(_ action: Action) -> ImageError? {
        switch action {
        case .none: break
        case .wake(let waker): waker.wakeUp()
        case .reject: return ImageError(.loaderClosed, message: "The loader is closed; make a new one.")
        case .startThread:
            if !spawn(self) { failToStart("The system has no thread left for network transfers.") }
        }
        return nil
    }

    /// Has the loop end soon, without waiting for it.
    func close() {
        let action = state.withLock { state -> Action in
            guard state.hasThread, !state.isClosed else { return .none }
            state.isClosing = true
            return state.wake()
        }
        _ = perform(action)
    }

    /// Closes for good, and returns when the loop's thread has released everything.
    func closeAndWait() async {
        close()
        await withCheckedContinuation { continuation in
            let isFinished = state.withLock { state in
                if !state.hasThread { (state.isClosed, state.isFinished) = (true, true) }
                if !state.isFinished { state.closeWaiters.append(continuation) }
                return state.isFinished
            }
            if isFinished { continuation.resume() }
        }
    }

    // MARK: The loop's side

    /// There is no thread or no loop: rejects the messages. The next message tries to start a thread again.
    func failToStart(_ reason: String) {
        let (messages, waiters) = state.withLock { state in
            defer { (state.hasThread, state.messages, state.closeWaiters) = (false, [], []) }
            // No thread is left that could report the end.
            if state.isClosing { (state.isClosed, state.isFinished) = (true, true) }
            return (state.messages, state.closeWaiters)
        }
        let error = ImageError(.connectionFailed, message: reason)
        for message in messages { message.reject(error) }
        for waiter in waiters { waiter.resume() }
    }

    func attach(_ waker: Readiness.Waker) { state.withLock { $0.waker = waker } }

    /// Replaces `messages`, which is empty, by those since the last call. From here on the loop needs no waking until it sleeps.
    func collect(into messages: inout [Message]) {
        state.withLock { state in
            state.isAwake = true
            swap(&state.messages, &messages)
        }
    }

    enum NextAction {
        /// There is nothing to do; the next message wakes the thread.
        case sleep
        case handleMessages, close
    }

    /// What the loop does at the end of its turn.
    func nextAction() -> NextAction {
        state.withLock { state in
            if state.isClosing { return .close }
            if !state.messages.isEmpty { return .handleMessages }
            state.isAwake = false
            return .sleep
        }
    }

    /// Rejects further messages. Returns those that came too late.
    func stopAccepting() -> [Message] {
        state.withLock { state in
            defer { state.messages = [] }
            state.isClosed = true
            return state.messages
        }
    }

    /// From here on the loop cannot be woken.
    func detach() { state.withLock { $0.waker = nil } }

    /// The loop has released everything.
    func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            defer { state.closeWaiters = [] }
            return state.closeWaiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

extension Mailbox.State {
    /// Has the thread look at the messages once more.
    fileprivate mutating func wake() -> Mailbox.Action {
        guard !isAwake, let waker else { return .none }
        isAwake = true
        return .wake(waker)
    }
}

extension Mailbox.Message {
    /// Fails a fetch that no loop takes.
    func reject(_ error: ImageError) { if kind == .start { fetch.fail(error) } }
}
