internal import ArgumentParser

/// Writes the report of a run again.
struct Report: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write SUMMARY.md and REPORT.html of a run again, and print the path of the report.")

    @Argument(help: "The folder of a run, or its results.json; the newest run by default.")
    var folder: String?

    func run() throws {
        let folder = try RunFolder(path: self.folder)
        try folder.writeReport(folder.read())
        print(folder.report.path)
    }
}
