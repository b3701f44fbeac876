internal import ArgumentParser
internal import Foundation

@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmarks",
        abstract: "Measures Calotype beside other libraries and tools.",
        discussion: """
            Prints for each row the median, the peer's figure, the ratio of the two (below 1 is better) and the budget. A peer \
            that is not installed leaves its cells empty. `make bench` builds for release and runs this program.

            Examples:
              make bench SUITE="engine cache"
              make bench SUITE=decode-webp EFFORT=smoke JSON=figures.json
            """)

    @Argument(help: "Suites to run; all by default. The first word of a name selects its family, such as decode for decode-jpeg.")
    var suites: [String] = []

    @Option(help: ArgumentHelp("How long to measure; smoke only shows that all suites work.", valueName: "smoke|full"))
    var effort = Effort.full

    @Option(help: "Write the rows to this file, a JSON array.")
    var json: String?

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
        #if DEBUG
            Progress.note("This is a debug build, so its figures mean nothing.")
        #endif
        var rows: [Row] = []
        for suite in chosen {
            do {
                Progress.show(suite.name)
                rows += try await suite.run(effort)
            } catch let missing as MissingProgram where missing.isNeeded {
                Progress.note("\(suite.name): skipped, because \(missing.name) is not installed")
            }
        }
        print(Row.table(rows))
        if let json { try Row.json(rows).write(to: URL(filePath: json)) }
    }
}

extension Effort: ExpressibleByArgument {}
