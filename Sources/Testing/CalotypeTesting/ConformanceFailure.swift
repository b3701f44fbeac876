internal import ImageCore

/// The error of a conformance check: all rules that the plug-in breaks.
///
/// ```swift
/// do {
///     try checkProcessingConformance { .sepia() }
/// } catch let failure as ConformanceFailure {
///     for violation in failure.violations { print(violation.rule, violation.message) }
/// }
/// ```
public struct ConformanceFailure: Error, Hashable, CustomStringConvertible {
    /// What breaks a rule.
    public struct Violation: Hashable, Sendable, CustomStringConvertible {
        /// The rule that is broken.
        public let rule: ConformanceRule
        /// One or more sentences: with which sample or after which steps, and what the plug-in did wrong.
        public let message: String
        /// The error that the plug-in threw, if that is what breaks the rule.
        var error: String? = nil

        /// The rule and the message, such as `Decoding.reportsSize: With file 0, …`.
        public var description: String { "\(rule): \(message)" }
    }

    /// What breaks the rules, in the order in which it was found; at most three violations of each rule.
    public let violations: [Violation]

    /// The rules that are broken.
    public var rules: Set<ConformanceRule> { Set(violations.map(\.rule)) }

    /// All violations, one on each line. An error that breaks several rules, such as that of a method that is not
    /// written yet, is on one line, which names the other rules.
    public var description: String {
        var lines: [(violation: Violation, others: [ConformanceRule])] = []
        for violation in violations {
            if let index = lines.firstIndex(where: { $0.violation.error.map(violation.message.contains) ?? false }) {
                if violation.rule != lines[index].violation.rule, !lines[index].others.contains(violation.rule) {
                    lines[index].others.append(violation.rule)
                }
            } else {
                lines.append((violation, []))
            }
        }
        return lines.map { line in
            let others = line.others.map(\.description).joined(separator: ", ")
            return others.isEmpty ? "\(line.violation)" : "\(line.violation) The same error breaks \(others)."
        }.joined(separator: "\n")
    }
}

/// What breaks the rule that is being checked. ``RuleChecker`` adds the rule.
package struct RuleViolation: Error {
    package let message: String
    package init(_ message: String) { self.message = message }
}

/// Throws a violation unless the condition is fulfilled.
package func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(RuleViolation) {
    if !condition { throw RuleViolation(message()) }
}

/// Expects that work throws a `CancellationError`.
func requireCancellation(_ work: () throws -> Void) throws(RuleViolation) {
    do {
        try work()
    } catch is CancellationError {
        return
    } catch {
        throw RuleViolation("It was cancelled and threw \(text(of: error)) instead of a CancellationError.")
    }
    throw RuleViolation("It finished although its token was cancelled before.")
}

/// An error in a message.
func text(of error: any Error) -> String {
    switch error {
    case let error as RuleViolation: error.message
    case let error as ImageError: "\(error.code): \(error.message)"
    default: "\(type(of: error)): \(error)"
    }
}
