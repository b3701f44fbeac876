internal import ImageCore

/// Keeps the loop's thread: held by the loader, by each body that is being read, and by each task that runs there.
final class LoopLease: Sendable {
    let mailbox: Mailbox

    init(mailbox: Mailbox) { self.mailbox = mailbox }

    deinit { mailbox.close() }

    /// Runs a piece of a task that was given to this executor; for the loop's thread.
    func run(_ job: UnownedJob) {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Runs it where tasks run by default, since there is no loop any more.
    static func runElsewhere(_ job: UnownedJob) {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            globalConcurrentExecutor.enqueue(job)
        }
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension LoopLease: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if mailbox.post(job, of: self) != nil { Self.runElsewhere(job) }
    }
}
