internal import Foundation

/// All that a run of the benchmarks measured, and what is needed to repeat it: the contents of `results.json`.
struct Run: Codable, Sendable {
    /// The version of this structure.
    static let currentFormat = 1

    var format = Run.currentFormat
    /// When the run began, in UTC: `2026-11-27T21:44:58Z`.
    var date: String
    /// The command that repeats the run.
    var command: String
    var effort: Effort
    /// The seed of everything random.
    var seed: UInt64
    var isDebugBuild: Bool
    /// The commit of the sources, with a note if they differ from it; `nil` outside of a repository.
    var commit: String?
    var machine: Machine
    /// The versions of compiler, libraries and tools.
    var versions: [Version]
    /// The suites without figures, each with the reason.
    var missing: [String] = []
    var rows: [Row] = []

    /// The name of the run's folder, which sorts by time: `2026-11-27T214458Z-full`.
    var name: String { "\(date.replacing(":", with: ""))-\(effort.rawValue)" }

    /// A run that begins now, without rows.
    init(suites: [String], effort: Effort, seed: UInt64) {
        date = Date.now.formatted(.iso8601)
        var words = ["make bench"]
        if !suites.isEmpty { words.append("SUITE=\"\(suites.joined(separator: " "))\"") }
        command = (words + ["EFFORT=\(effort.rawValue)", "SEED=\(seed)"]).joined(separator: " ")
        (self.effort, self.seed) = (effort, seed)
        #if DEBUG
            isDebugBuild = true
        #else
            isDebugBuild = false
        #endif
        commit = Shell.commit
        machine = .current
        versions = Version.all
    }
}

/// A folder with the results of a run: `results.json`, `SUMMARY.md` and `REPORT.html`.
struct RunFolder {
    /// Where runs are kept.
    static let parent = Programs.project.appending(path: "Benchmarks/Results", directoryHint: .isDirectory)

    let url: URL

    init(_ run: Run, in parent: URL = parent) { url = parent.appending(path: run.name, directoryHint: .isDirectory) }

    /// A folder, or its `results.json`; the newest run when `path` is `nil`.
    ///
    /// - Throws: ``ReportError`` when there is no run.
    init(path: String?, in parent: URL = parent) throws(ReportError) {
        if let path {
            let given = URL(filePath: path)
            url = given.lastPathComponent == Self.resultsName ? given.deletingLastPathComponent() : given
            return
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        let runs = names.filter { name in
            FileManager.default.fileExists(atPath: parent.appending(path: "\(name)/\(Self.resultsName)").path)
        }
        guard let newest = runs.max() else {
            throw ReportError(message: "There is no run in \(parent.path). Measure one with `make bench`.")
        }
        url = parent.appending(path: newest, directoryHint: .isDirectory)
    }

    private static let resultsName = "results.json"
    private var results: URL { url.appending(path: Self.resultsName) }
    var report: URL { url.appending(path: "REPORT.html") }
    private var summary: URL { url.appending(path: "SUMMARY.md") }

    /// - Throws: ``ReportError`` for a file that is missing or no results of a run.
    func read() throws(ReportError) -> Run {
        guard let data = FileManager.default.contents(atPath: results.path) else {
            throw ReportError(message: "\(results.path) cannot be read. Name the folder of a run, such as Benchmarks/Results/….")
        }
        /// The part that tells the version.
        struct Header: Decodable { let format: Int }
        guard let header = try? JSONDecoder().decode(Header.self, from: data) else {
            throw ReportError(message: "\(results.path) has no results of a run.")
        }
        guard header.format == Run.currentFormat else {
            throw ReportError(
                message: "\(results.path) has format \(header.format), and this program reads format \(Run.currentFormat).")
        }
        do { return try JSONDecoder().decode(Run.self, from: data) } catch {
            throw ReportError(message: "\(results.path) is damaged: \(error)")
        }
    }

    /// Writes the three files.
    func write(_ run: Run) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(run).write(to: results, options: .atomic)
        try writeReport(run)
    }

    /// Writes the files for people.
    func writeReport(_ run: Run) throws {
        try Data(Summary(run).text.utf8).write(to: summary, options: .atomic)
        try Data(HTMLReport(run).text.utf8).write(to: report, options: .atomic)
    }
}

/// A report that cannot be made.
struct ReportError: Error, CustomStringConvertible {
    let message: String

    var description: String { message }
}
