internal import Foundation

/// What a whole process takes.
struct ProcessCost {
    /// In user and kernel mode, milliseconds: a median, because the system counts their sum exactly.
    let processor: Double
    /// Of that in user mode: a mean, because the system samples the two apart every few milliseconds, so that one run says little.
    let user: Double
    /// The standard error of ``user`` as a part of it.
    let userError: Double
    /// At its peak; `nil` without GNU time.
    let megabytes: Double?

    /// - Parameter runs: one at least, in milliseconds.
    init(_ runs: [(processor: Double, user: Double)], megabytes: Double?) {
        processor = runs.map(\.processor).median
        let (count, mean) = (Double(runs.count), runs.map(\.user).reduce(0, +) / Double(runs.count))
        user = mean
        let squares = runs.map { ($0.user - mean) * ($0.user - mean) }.reduce(0, +)
        userError = runs.count < 2 || mean <= 0 ? 0 : (squares / (count - 1) / count).squareRoot() / mean
        self.megabytes = megabytes
    }

    /// The standard error of the ratio of two mean user times, as a part of it.
    func errorOfUserRatio(to other: ProcessCost) -> Double {
        (userError * userError + other.userError * other.userError).squareRoot()
    }

    /// Runs commands in rounds, in each of which every one runs once, so that a machine that slows down does so for all.
    ///
    /// - Parameters:
    ///   - report: a file to write to.
    ///   - errorOfUserRatio: adds rounds, for twelve seconds at most, until the ratio of the first command's user time to that of
    ///     every other with at least a quarter of it has at most this standard error.
    /// - Returns: `nil` for a program that is missing or fails.
    static func measure(
        _ commands: [[String]], effort: Effort, report: String, errorOfUserRatio: Double?
    ) -> [ProcessCost?] {
        let memory = commands.map { megabytes($0, report: report) }
        var runs = [[(processor: Double, user: Double)]?](repeating: [], count: commands.count)
        var costs: [ProcessCost?] {
            zip(runs, memory).map { runs, memory in runs.map { ProcessCost($0, megabytes: memory) } }
        }
        let (clock, began) = (ContinuousClock(), ContinuousClock.now)
        var round = 0
        while round < (effort == .smoke ? 1 : 7) || needsMoreRounds() {
            round += 1
            for (index, command) in commands.enumerated() {
                guard let before = runs[index] else { continue }
                runs[index] = run(command).map { before + [$0] }
            }
        }
        func needsMoreRounds() -> Bool {
            guard effort != .smoke, let errorOfUserRatio, began.duration(to: clock.now) < .seconds(12) else { return false }
            // Computing the errors takes time, so only every eighth round does.
            guard round % 8 == 7 else { return true }
            let known = costs
            guard let first = known[0] else { return false }
            return known.dropFirst().contains { other in
                guard let other, other.user > first.user / 4 else { return false }
                return first.errorOfUserRatio(to: other) > errorOfUserRatio
            }
        }
        return costs
    }

    private static func run(_ command: [String]) -> (processor: Double, user: Double)? {
        guard let child = try? ChildProcess(command) else { return nil }
        let usage = child.wait()
        guard usage.status == 0 else { return nil }
        return (usage.processorTime / .milliseconds(1), usage.userTime / .milliseconds(1))
    }

    /// Runs GNU time between, because the peak that the system reports includes that of the process which starts another. It
    /// takes processor time itself, so only memory is measured with it.
    private static func megabytes(_ command: [String], report: String) -> Double? {
        guard let child = try? ChildProcess(["time", "-f", "%M", "-o", report] + command), child.wait().status == 0,
            let text = try? String(contentsOf: URL(filePath: report), encoding: .utf8),
            let peak = text.split(separator: "\n").last.flatMap({ Double($0) })
        else { return nil }
        return peak / 1024
    }
}
