internal import ArgumentParser
internal import ImageCore

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures, and compares with peers.",
        discussion: """
            Prints for each row the median, the peer's figure, the ratio of the two (below 1 is better) and the ratio to \
            reach. Build for release before you believe a number.

            Examples:
              calotype bench --list
              calotype bench engine
              calotype bench decode-webp decode-avif
              calotype bench --smoke --json figures.json
            """)

    @Argument(
        help: "Suites to run; all of them by default. A name's beginning stands for all that go on: decode for decode-jpeg.")
    var suites: [String] = []

    @Flag(help: "A quick run of everything, in seconds.")
    var smoke = false

    @Option(help: "Write the rows to this file, a JSON array.")
    var json: String?

    @Flag(help: "List the suites instead of running them.")
    var list = false

    func validate() throws {
        for name in suites where !BenchmarkSuite.all.contains(where: { $0.isMeant(by: name) }) {
            let known = BenchmarkSuite.all.map(\.name).joined(separator: ", ")
            throw ValidationError("There is no suite '\(name)'; the suites are \(known).")
        }
    }

    func run() async throws {
        let chosen = BenchmarkSuite.all.filter { suite in
            suites.isEmpty || suites.contains { suite.isMeant(by: $0) }
        }
        guard !list else {
            for suite in chosen { Console.print("\(suite.name)  \(suite.about)") }
            return
        }
        var rows: [BenchmarkRow] = []
        for suite in chosen {
            Console.showProgress("running \(suite.name)...")
            rows += try await suite.run(smoke ? .smoke : .full)
        }
        Console.showProgress("")
        Console.print(BenchmarkRow.table(rows))
        guard let json else { return }
        let text = "[\n" + rows.map { "  " + $0.json.text }.joined(separator: ",\n") + "\n]\n"
        do throws(ImageError) {
            try AtomicFile.write(Data(text.utf8), to: json)
        } catch {
            Console.complain(about: json, error.description)
            throw ExitStatus.failed
        }
    }
}
