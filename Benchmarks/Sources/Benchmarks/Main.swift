internal import ArgumentParser

@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmarks",
        abstract: "Measures Calotype beside other libraries and tools.",
        subcommands: [Measure.self, Report.self, Compare.self, Keep.self], defaultSubcommand: Measure.self)
}
