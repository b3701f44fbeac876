internal import Foundation

/// The cost of a whole process.
struct ProcessCost {
    /// The median processor time in milliseconds, in user and kernel mode. The system counts their sum exactly.
    let processor: Double
    /// The processor time of each run.
    let processorSamples: [Double]
    /// The mean time in user mode, in milliseconds. The system samples the mode every few milliseconds, so one run is
    /// not exact.
    let user: Double
    /// The time in user mode of each run.
    let userSamples: [Double]
    /// The standard error of ``user``, as a part of it.
    let userError: Double
    /// The peak memory; `nil` without GNU time.
    let megabytes: Double?

    /// - Parameter runs: At least one run, in milliseconds.
    init(_ runs: [(processor: Double, user: Double)], megabytes: Double?) {
        (processorSamples, userSamples) = (runs.map(\.processor), runs.map(\.user))
        processor = processorSamples.median
        let (count, mean) = (Double(runs.count), runs.map(\.user).reduce(0, +) / Double(runs.count))
        user = mean
        let squares = runs.map { ($0.user - mean) * ($0.user - mean) }.reduce(0, +)
        userError = runs.count < 2 || mean <= 0 ? 0 : (squares / (count - 1) / count).squareRoot() / mean
        self.megabytes = megabytes
    }

    /// Returns the standard error of the ratio of two mean user times, as a part of it.
    func errorOfUserRatio(to other: ProcessCost) -> Double {
        (userError * userError + other.userError * other.userError).squareRoot()
    }

    /// Runs commands in rounds. Each round runs every command once, so that a slower machine affects all.
    ///
    /// - Parameters:
    ///   - report: The path of a temporary file.
    ///   - errorOfUserRatio: Adds rounds, for at most twelve seconds, until the ratio of the first command's user time
    ///     to that of each other with at least a quarter of it has at most this standard error.
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
            // Computing the errors takes time, so it is done every eight rounds.
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

    /// Measures the peak with GNU time, because the peak that the system reports includes the memory of the starting
    /// process. GNU time uses processor time itself, so it measures only memory.
    private static func megabytes(_ command: [String], report: String) -> Double? {
        guard let child = try? ChildProcess(["time", "-f", "%M", "-o", report] + command), child.wait().status == 0,
            let text = try? String(contentsOf: URL(filePath: report), encoding: .utf8),
            let peak = text.split(separator: "\n").last.flatMap({ Double($0) })
        else { return nil }
        return peak / 1024
    }
}
