internal import ArgumentParser

/// Compares two runs.
struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print what changed from one run to another beyond the noise.",
        discussion: """
            A figure changed if its quartiles in the two runs do not overlap and its medians differ by more than a twentieth; a \
            figure of one sample, if it differs by more than a tenth. Where the same peer was measured in both runs, the ratio to \
            it must have changed too, because a slower machine slows both.
            """)

    @Argument(help: "The folder of the first run, or its results.json.")
    var before: String

    @Argument(help: "The folder of the second run, or its results.json.")
    var after: String

    func run() throws {
        let (old, new) = (try RunFolder(path: before).read(), try RunFolder(path: after).read())
        for (name, first, second) in [
            ("effort", old.effort.rawValue, new.effort.rawValue), ("seed", "\(old.seed)", "\(new.seed)"),
            ("build", old.isDebugBuild ? "debug" : "release", new.isDebugBuild ? "debug" : "release"),
            (
                "processor", "\(old.machine.processors) × \(old.machine.processor)",
                "\(new.machine.processors) × \(new.machine.processor)"
            ),
        ] where first != second {
            Progress.note("The runs differ in \(name), \(first) and \(second), so their figures can differ for that reason.")
        }
        print(Comparison(old, new).text)
    }
}
