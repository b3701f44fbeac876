internal import CalotypeSystem
internal import ImageCore

/// A thread that looks for stuck loads, measures the process every second, and prints progress.
final class Watchdog: Sendable {
    private let usages = Lock([Usage]())
    private let isOver = Lock(false)

    /// - Parameter onStuck: told of loads that have run too long; does not return.
    init(_ ledger: Ledger, progressEvery seconds: Int, onStuck: @escaping @Sendable ([String]) -> Never) {
        let began = ContinuousClock.now
        _ = DetachedThread.start { [self] in
            var (looks, wrote) = (0, 0)
            while !isOver.withLock({ $0 }) {
                usleep(250_000)
                looks += 1
                let stuck = ledger.overdue(StormRun.bound)
                if !stuck.isEmpty { onStuck(stuck) }
                guard looks % 4 == 0 else { continue }
                let usage = Usage.now
                usages.withLock { $0.append(usage) }
                let elapsed = Int((ContinuousClock.now - began) / .seconds(1))
                guard elapsed / seconds > wrote else { continue }
                wrote = elapsed / seconds
                report("\(elapsed) s, \(ledger.loads) loads, \(ledger.failureCount) failures, \(usage.summary)")
            }
        }
    }

    /// What was measured since the last call.
    func takeUsages() -> [Usage] {
        usages.withLock { usages in
            defer { usages = [] }
            return usages
        }
    }

    func end() { isOver.withLock { $0 = true } }
}
