import Dispatch
import Foundation
import ImageCore

/// Isolates the scene to its thread, as `MainActor` does for the views of the system.
@globalActor public actor SceneActor {
    public static let shared = SceneActor()
    private let thread = SceneThread()
    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
}

/// A thread that runs one job after the other. A toolkit with an event loop posts each job to that instead.
private final class SceneThread: SerialExecutor {
    private let jobs = Lock<[UnownedJob]>([])
    private let wakeUps = DispatchSemaphore(value: 0)

    init() {
        Thread { [self] in
            while true {
                wakeUps.wait()
                jobs.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedSerialExecutor())
            }
        }.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        wakeUps.signal()
    }
}
