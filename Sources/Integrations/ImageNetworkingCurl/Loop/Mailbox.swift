internal import CCalotypeCurl
internal import ImageCore

/// How tasks reach the loop's thread: a list of messages, and a way to wake the thread once per batch.
final class Mailbox: Sendable {
    struct Message: Sendable {
        enum Kind {
            case start, cancel, resume
        }

        let kind: Kind
        let transfer: Transfer
    }

    fileprivate struct State {
        var messages: [Message] = []
        /// Whether the loop's thread will look at the lists again before it sleeps.
        var isAwake = true
        var hasThread = false
        /// Everything is to end.
        var isClosing = false
        /// No message is taken any more.
        var isClosed = false
        /// The loop holds nothing any more.
        var isFinished = false
        var waker: Readiness.Waker?
        var closeWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())
    private let spawn: @Sendable (Mailbox) -> Bool

    /// `spawn` starts the loop's thread when the first transfer does; `false` means that the system gave none.
    init(spawn: @escaping @Sendable (Mailbox) -> Bool) { self.spawn = spawn }

    /// What is left to do for who posted something.
    fileprivate enum Duty {
        case none, wake(Readiness.Waker), startThread, bearRefusal
    }

    /// Puts a message on the list. Returns why it cannot be.
    func post(_ kind: Message.Kind, _ transfer: Transfer) -> ImageError? {
        let duty = state.withLock { state -> Duty in
            if state.isClosed { return .bearRefusal }
            guard state.hasThread || kind == .start else { return .none }
            state.messages.append(Message(kind: kind, transfer: transfer))
            guard state.hasThread else {
                state.hasThread = true
                return .startThread
            }
            return state.wake()
        }
        return perform(duty)
    }

    private func perform(_ duty: Duty) -> ImageError? {
        // Outside the lock, which the loop takes as soon as it is awake.
        switch duty {
        case .none: return nil
        case .wake(let waker): waker.wakeUp()
        case .bearRefusal: return ImageError(.loaderClosed, message: "The loader was closed; make a new one.")
        case .startThread:
            if !spawn(self) { giveUp("The system gave no thread for network transfers.") }
        }
        return nil
    }

    /// There is no thread after all, or it cannot serve: what was posted fails, and the next message asks for a thread again.
    func giveUp(_ reason: String) {
        let (messages, waiters) = state.withLock { state in
            defer { (state.hasThread, state.messages, state.closeWaiters) = (false, [], []) }
            // There is no thread that would tell of the end.
            if state.isClosing { (state.isClosed, state.isFinished) = (true, true) }
            return (state.messages, state.closeWaiters)
        }
        let error = ImageError(.connectionFailed, message: reason)
        // Others may have posted in the meantime.
        for message in messages { message.refuse(error) }
        for waiter in waiters { waiter.resume() }
    }

    /// Ends everything, some time soon.
    func close() {
        let duty = state.withLock { state -> Duty in
            guard state.hasThread, !state.isClosed else { return .none }
            state.isClosing = true
            return state.wake()
        }
        _ = perform(duty)
    }

    /// Closes for good, and returns when the loop's thread has let go of everything.
    func closed() async {
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

    func attach(_ waker: Readiness.Waker) { state.withLock { $0.waker = waker } }

    /// Replaces `messages`, which is empty and keeps its room, by those since the last call. Until it falls asleep, the loop
    /// needs no waking.
    func collect(into messages: inout [Message]) {
        state.withLock { state in
            state.isAwake = true
            swap(&state.messages, &messages)
        }
    }

    enum Rest {
        /// There is nothing to do; the next message wakes the thread.
        case asleep
        case messages, closing
    }

    /// Asks whether the loop's thread may sleep; otherwise it need not be woken.
    func rest() -> Rest {
        state.withLock { state in
            if state.isClosing { return .closing }
            if !state.messages.isEmpty { return .messages }
            state.isAwake = false
            return .asleep
        }
    }

    /// Refuses further messages, and returns what came too late.
    func shut() -> [Message] {
        state.withLock { state in
            defer { state.messages = [] }
            state.isClosed = true
            return state.messages
        }
    }

    /// From here on nobody may wake the loop.
    func detach() { state.withLock { $0.waker = nil } }

    /// The loop has let go of everything.
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
    /// The thread looks at the lists once more.
    fileprivate mutating func wake() -> Mailbox.Duty {
        guard !isAwake, let waker else { return .none }
        isAwake = true
        return .wake(waker)
    }
}

extension Mailbox.Message {
    /// What becomes of a message that no loop takes.
    func refuse(_ error: ImageError) { if kind == .start { transfer.fail(error) } }
}

/// libcurl's multi handle.
@safe struct MultiHandle: @unchecked Sendable {  // because other threads at most wake libcurl, which it allows
    let pointer: UnsafeMutableRawPointer

    init?() {
        guard let pointer = unsafe curl_multi_init() else { return nil }
        unsafe self.pointer = unsafe pointer
    }
}
