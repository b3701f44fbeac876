internal import CalotypeSystem
internal import Dispatch
internal import ImageCore

/// Checks the rules of a protocol, and collects what breaks them.
final class RuleChecker<Rule: ConformanceRules>: Sendable {
    private struct State {
        var violations: [ConformanceFailure.Violation] = []
        /// What is being checked, for the message about a hang.
        var current: (rule: Rule, sample: String)?
    }

    private let state = Lock(State())
    private let limit: Duration

    /// - Parameter limit: The longest time of a check that suspends, or of all checks that do not.
    init(limit: Duration) { self.limit = limit }

    /// Runs one check. What it throws breaks the rule.
    ///
    /// - Parameters:
    ///   - rule: The rule.
    ///   - sample: What the plug-in is checked with, such as `file 0`; empty for nothing in particular.
    ///   - body: Throws if the rule is broken.
    func check(_ rule: Rule, _ sample: String = "", _ body: () throws -> Void) {
        state.withLock { $0.current = (rule, sample) }
        do { try body() } catch { record(error, rule, sample) }
    }

    /// Runs one check that suspends, and ends it after the time limit.
    func run(_ rule: Rule, _ sample: String = "", _ body: @escaping @Sendable () async throws -> Void) async {
        do { try await withTimeLimit(limit, body) } catch { record(error, rule, sample) }
    }

    /// Adds a violation, unless the rule has three already.
    func record(_ error: any Error, _ rule: Rule, _ sample: String) {
        let thrown = error is RuleViolation ? nil : text(of: error)
        let what = thrown.map { "It threw \($0)\($0.hasSuffix(".") ? "" : ".")" } ?? text(of: error)
        let violation = ConformanceFailure.Violation(
            rule: rule.rule, message: sample.isEmpty ? what : "With \(sample): \(what)", error: thrown)
        state.withLock { state in
            if state.violations.count(where: { $0.rule == violation.rule }) < 3 { state.violations.append(violation) }
        }
    }

    /// Adds a violation of the rule that is being checked.
    fileprivate func recordHang() {
        if let current = state.withLock({ $0.current }) {
            record(RuleViolation("The check did not end within \(limit)."), current.rule, current.sample)
        }
    }

    /// What breaks the rules so far.
    var violations: [ConformanceFailure.Violation] { state.withLock { $0.violations } }
}

/// Throws all violations together, if there are any.
func throwFailure(_ violations: [ConformanceFailure.Violation]) throws(ConformanceFailure) {
    if !violations.isEmpty { throw ConformanceFailure(violations: violations) }
}

/// Checks rules on a thread with a time limit, as the engine calls plug-ins on worker threads.
///
/// A plug-in that hangs cannot be stopped: its thread continues after the failure.
///
/// - Returns: What breaks the rules.
func checkRules<Rule: ConformanceRules>(
    _ rules: Rule.Type, limit: Duration, _ body: @escaping @Sendable (RuleChecker<Rule>) -> Void
) -> [ConformanceFailure.Violation] {
    let checker = RuleChecker<Rule>(limit: limit)
    let end = DispatchSemaphore(value: 0)
    let isStarted = DetachedThread.start(stackBytes: 8 << 20) {
        body(checker)
        end.signal()
    }
    if !isStarted {
        body(checker)
    } else if end.wait(timeout: .now() + limit / .seconds(1)) == .timedOut {
        checker.recordHang()
    }
    return checker.violations
}

/// Runs work with a time limit. Work that ignores its cancellation continues after the error.
///
/// - Throws: ``RuleViolation`` after the limit; what the work throws.
package func withTimeLimit<T: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> T
) async throws -> T {
    let (results, continuation) = AsyncStream<Result<T, any Error>>.makeStream()
    let work = Task {
        do { continuation.yield(.success(try await body())) } catch { continuation.yield(.failure(error)) }
    }
    let timer = Task {
        try await Task.sleep(for: limit)
        continuation.yield(.failure(RuleViolation("It did not end within \(limit).")))
    }
    defer {
        work.cancel()
        timer.cancel()
    }
    for await result in results { return try result.get() }
    // The stream ends without a result only when the task is cancelled.
    throw CancellationError()
}
