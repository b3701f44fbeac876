internal import ArgumentParser
internal import Foundation

/// Puts a run into the documentation.
struct Keep: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the table of a run into Benchmarks/RESULTS.md, and its plots into docs/images/benchmarks.")

    /// The suites whose ratios docs/Benchmarks.md shows, and their titles.
    private static let shownSuites = [("engine", "The engine, beside Nuke"), ("scenario", "Scenarios")]

    @Argument(help: "The folder of a run, or its results.json; the newest run by default.")
    var folder: String?

    func run() throws {
        let run = try RunFolder(path: folder).read()
        let document = Programs.project.appending(path: "Benchmarks/RESULTS.md")
        let text = try String(contentsOf: document, encoding: .utf8)
        guard let kept = Self.replacing(in: text, with: Summary(run).section) else {
            throw ReportError(message: "\(document.path) lacks the lines \(Self.start) and \(Self.end).")
        }
        try Data(kept.utf8).write(to: document, options: .atomic)
        print(document.path)
        let images = Programs.project.appending(path: "docs/images/benchmarks")
        try FileManager.default.createDirectory(at: images, withIntermediateDirectories: true)
        for (name, plot) in Self.plots(of: run) {
            let file = images.appending(path: "\(name).svg")
            try Data((plot + "\n").utf8).write(to: file, options: .atomic)
            print(file.path)
        }
    }

    /// The plots of the guide, by the names of their files.
    static func plots(of run: Run) -> [(name: String, svg: String)] {
        let lines = run.lines.compactMap { rows in
            rows.first?.amount.map { (name: fileName("growth-\($0.line)"), svg: LinePlot(rows: rows).svg(hasStyle: true)) }
        }
        let ratios = shownSuites.compactMap { suite, title -> (name: String, svg: String)? in
            let rows = run.rows.filter { $0.suite == suite && $0.amount == nil && !$0.isHigherBetter && $0.ratio != nil }
            return rows.isEmpty ? nil : (fileName("ratios-\(suite)"), RatioPlot(title: title, rows: rows).svg(hasStyle: true))
        }
        return lines + ratios
    }

    private static func fileName(_ text: String) -> String {
        text.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.joined(separator: "-")
    }

    private static let start = "<!-- The last full run: `make bench-keep` writes what follows. -->"
    private static let end = "<!-- The end of the last full run. -->"

    /// Returns the text with `section` between its marks; `nil` if it has none.
    static func replacing(in text: String, with section: String) -> String? {
        guard let first = text.range(of: start), let last = text.range(of: end), first.upperBound <= last.lowerBound else {
            return nil
        }
        return "\(text[..<first.upperBound])\n\n\(section)\n\n\(text[last.lowerBound...])"
    }
}
