internal import CCalotypeCurl
internal import ImageCore

/// By which tasks reach the loop's thread: a list of messages and a way to wake it, once per batch.
final class Mailbox: Sendable {
    enum Message: Sendable {
        case start(Transfer)
        case cancel(Transfer)
        case resume(Transfer)
        /// A piece of a task that runs on the loop's thread.
        case job(UnownedJob, LoopLease)
        /// End everything.
        case close
    }

    private struct State {
        var messages: [Message] = []
        /// Whether the loop will look at the list again before it sleeps.
        var isAwake = true
        var hasThread = false
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

    /// Puts a message on the list. Returns why it cannot be.
    func post(_ message: Message) -> ImageError? {
        enum Outcome {
            case posted(Readiness.Waker?), refused, needsThread
        }
        let outcome = state.withLock { state -> Outcome in
            if state.isClosed { return .refused }
            if !state.hasThread {
                switch message {
                case .start, .job: break
                case .resume, .cancel, .close: return .posted(nil)
                }
                state.hasThread = true
                state.messages.append(message)
                return .needsThread
            }
            state.messages.append(message)
            guard !state.isAwake else { return .posted(nil) }
            state.isAwake = true
            return .posted(state.waker)
        }
        switch outcome {
        case .posted(let waker):
            // Outside the lock, which the loop takes as soon as it is awake.
            waker?.wakeUp()
            return nil
        case .refused: return ImageError(.loaderClosed, message: "The loader was closed; make a new one.")
        case .needsThread:
            if spawn(self) { return nil }
            let stranded = state.withLock { state in
                defer { (state.hasThread, state.messages) = (false, []) }
                return state.messages
            }
            let error = ImageError(.connectionFailed, message: "The system gave no thread for network transfers.")
            // Others may have posted in the meantime.
            for message in stranded { message.refuse(error) }
            return nil
        }
    }

    /// Closes for good, and returns when the loop's thread has let go of everything.
    func close() async {
        _ = post(.close)
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

    /// The messages since the last call. Until it falls asleep, the loop needs no waking.
    func collect() -> [Message] {
        state.withLock { state in
            state.isAwake = true
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Whether the list is empty; if so, the next message wakes the loop.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.isAwake = !state.messages.isEmpty
            return !state.isAwake
        }
    }

    /// Refuses further messages, and returns those that came too late.
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

extension Mailbox.Message {
    /// What becomes of a message that no loop takes.
    func refuse(_ error: ImageError) {
        switch self {
        case .start(let transfer): transfer.publish(end: .failure(error))
        case .job(let job, _): LoopLease.runElsewhere(job)
        case .resume, .cancel, .close: break
        }
    }
}

/// libcurl's multi handle.
@safe struct MultiHandle: @unchecked Sendable {  // because other threads at most wake libcurl, which it allows
    let pointer: UnsafeMutableRawPointer

    init?() {
        guard let pointer = unsafe curl_multi_init() else { return nil }
        unsafe self.pointer = unsafe pointer
    }
}
