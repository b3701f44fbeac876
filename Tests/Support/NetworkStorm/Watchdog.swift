internal import CalotypeSystem
internal import ImageCore

/// A thread that detects stuck loads, measures the process every second, and prints progress.
final class Watchdog: Sendable {
    private let usages = Lock([Usage]())
    private let isOver = Lock(false)

    /// - Parameter onStuck: Receives the paths of loads that have run too long. Must not return.
    init(_ records: LoadRecords, progressEvery seconds: Int, onStuck: @escaping @Sendable ([String]) -> Never) {
        let began = ContinuousClock.now
        _ = DetachedThread.start { [self] in
            var (checks, wrote) = (0, 0)
            while !isOver.withLock({ $0 }) {
                usleep(250_000)
                checks += 1
                let stuck = records.overdue(StormRun.bound)
                if !stuck.isEmpty { onStuck(stuck) }
                guard checks % 4 == 0 else { continue }
                let usage = Usage.now
                usages.withLock { $0.append(usage) }
                let elapsed = Int((ContinuousClock.now - began) / .seconds(1))
                guard elapsed / seconds > wrote else { continue }
                wrote = elapsed / seconds
                report("\(elapsed) s, \(records.loads) loads, \(records.failureCount) failures, \(usage.summary)")
            }
        }
    }

    /// Returns the measurements since the previous call.
    func takeUsages() -> [Usage] {
        usages.withLock { usages in
            defer { usages = [] }
            return usages
        }
    }

    func end() { isOver.withLock { $0 = true } }
}
