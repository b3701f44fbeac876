internal import ArgumentParser
internal import Foundation

/// Runs suites and writes their figures.
struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run suites. The default.",
        discussion: """
            Prints for each row the median, the peer's figure, the ratio of the two (below 1 is better) and the budget. A peer \
            that is not installed leaves its cells empty. Writes results.json, SUMMARY.md and REPORT.html into a new folder of \
            Benchmarks/Results, and prints the path of the report. `make bench` builds for release and runs this program.

            Examples:
              make bench SUITE="engine cache"
              make bench SUITE=decode-webp EFFORT=smoke JSON=figures.json
              make bench SUITE=scenario SEED=7
            """)

    @Argument(help: "Suites to run; all by default. The first word of a name selects its family, such as decode for decode-jpeg.")
    var suites: [String] = []

    @Option(help: ArgumentHelp("How long to measure; smoke only shows that all suites work.", valueName: "smoke|full"))
    var effort = Effort.full

    @Option(help: "The seed of everything random: images, sizes, orders and moments of cancellation.")
    var seed: UInt64 = 1

    @Option(help: "Write the rows to this file, a JSON array.")
    var json: String?

    @Flag(help: "Write no folder with a report.")
    var noReport = false

    @Flag(help: "List the suites instead of running them.")
    var list = false

    func validate() throws {
        for name in suites where !Suite.all.contains(where: { $0.isSelected(by: name) }) {
            let known = Suite.all.map(\.name).joined(separator: ", ")
            throw ValidationError("There is no suite '\(name)'; the suites are \(known).")
        }
    }

    func run() async throws {
        let chosen = Suite.all.filter { suite in suites.isEmpty || suites.contains { suite.isSelected(by: $0) } }
        guard !list else {
            for suite in chosen { print("\(suite.name)  \(suite.summary)") }
            return
        }
        let interruption = Interruption()
        defer { interruption.end() }
        #if DEBUG
            Progress.note("This is a debug build, so its figures mean nothing.")
        #endif
        var run = Run(suites: suites, effort: effort, seed: seed)
        Progress.note("seed \(seed)")
        var hasFailed = false
        for (index, suite) in chosen.enumerated() {
            do {
                Progress.show("\(suite.name) (\(index + 1) of \(chosen.count))")
                run.rows += try await suite.run(effort, seed)
            } catch let missing as MissingProgram where missing.isNeeded {
                run.missing.append("\(suite.name), because \(missing.name) is not installed")
                Progress.note("\(suite.name): skipped, because \(missing.name) is not installed")
            } catch {
                // The figures of the other suites took long to measure.
                run.missing.append("\(suite.name), which failed: \(error)")
                Progress.note("\(suite.name): failed: \(error)")
                hasFailed = true
            }
        }
        print(Row.table(run.rows))
        if let json { try Row.json(run.rows).write(to: URL(filePath: json)) }
        if !noReport {
            let folder = RunFolder(run)
            try folder.write(run)
            print("\n\(folder.report.path)")
        }
        if hasFailed { throw ExitCode.failure }
    }
}

extension Effort: ExpressibleByArgument {}
