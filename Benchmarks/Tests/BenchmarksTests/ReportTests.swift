import Foundation
import Testing

@testable import Benchmarks

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The files of a run.
@Suite struct ReportTests {
    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        try body(folder.url)
    }

    @Test func aRunIsReadAsItWasWritten() throws {
        try inFolder { parent in
            let run = SampleRuns.run([SampleRuns.row("a", [1, 2, 3], peer: [2, 4])] + SampleRuns.line)
            let folder = RunFolder(run, in: parent)
            try folder.write(run)
            #expect(folder.url.lastPathComponent == "2026-01-02T030405Z-full")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            #expect(names.sorted() == ["REPORT.html", "SUMMARY.md", "results.json"])
            let read = try folder.read()
            #expect("\(read)" == "\(run)")
            #expect(read.rows[0].samples == [1, 2, 3] && read.rows[0].peer?.samples == [2, 4])
            #expect(read.command == "make bench SUITE=\"engine\" EFFORT=full SEED=7")
        }
    }

    @Test func withoutAPathTheNewestRunIsRead() throws {
        try inFolder { parent in
            #expect(throws: ReportError.self) { try RunFolder(path: nil, in: parent) }
            for date in ["2026-01-02T03:04:05Z", "2026-02-01T00:00:00Z", "2025-12-31T00:00:00Z"] {
                var run = SampleRuns.run([])
                run.date = date
                try RunFolder(run, in: parent).write(run)
            }
            // A folder without results is no run.
            try FileManager.default.createDirectory(at: parent.appending(path: "2027"), withIntermediateDirectories: true)
            #expect(try RunFolder(path: nil, in: parent).read().date == "2026-02-01T00:00:00Z")
        }
    }

    @Test(arguments: [
        (nil, "cannot be read"), ("{", "has no results"), ("[]", "has no results"), (#"{"format":99}"#, "has format 99"),
        (#"{"format":1}"#, "is damaged"),
    ])
    func wrongResultsAreRefusedWithASentence(_ contents: String?, _ reason: String) throws {
        try inFolder { parent in
            if let contents { try Data(contents.utf8).write(to: parent.appending(path: "results.json")) }
            let error = #expect(throws: ReportError.self) { try RunFolder(path: parent.path, in: parent).read() }
            #expect(error?.message.contains(reason) == true)
        }
    }

    // MARK: HTML

    /// The elements of a document, and its text.
    private final class Elements: NSObject, XMLParserDelegate {
        var found: [(name: String, attributes: [String: String])] = []
        var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            found.append((name, attributes))
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

        func count(_ name: String) -> Int { found.filter { $0.name == name }.count }
    }

    private func parsed(_ document: String) throws -> Elements {
        let parser = XMLParser(data: Data(document.utf8))
        let elements = Elements()
        parser.delegate = elements
        let isParsed = parser.parse()
        try #require(isParsed, "line \(parser.lineNumber): \(String(describing: parser.parserError))")
        return elements
    }

    @Test func theReportIsWellFormedAndHasTheFigures() throws {
        let rows = [
            SampleRuns.row("slow", [3, 4, 5], peer: [2, 2, 2], budget: .ratio(1.5)),
            SampleRuns.row("fast", [1, 1.25], peer: [], budget: .atMost(3)), SampleRuns.row("hits", [0.5], unit: "of all"),
        ]
        let report = try parsed(HTMLReport(SampleRuns.run(rows + SampleRuns.line)).text)
        // A line plot; medians in µs and hits; ratios of the engine. The points of the line have no other plot.
        #expect(report.count("svg") == 4)
        #expect(report.text.contains("4.00 (3.50–4.50)") && report.text.contains("2.00× over"))
        #expect(report.text.contains("1 of 2 figures with a budget are within it; these are over:"))
        #expect(report.text.contains("not installed"))
        #expect(report.text.contains("make bench SUITE=\"engine\" EFFORT=full SEED=7") && report.text.contains("abc123"))
        // One file: nothing is loaded from elsewhere, and nothing runs.
        #expect(!report.found.contains { ["script", "link", "img", "iframe"].contains($0.name) })
        #expect(!report.found.contains { $0.attributes["src"] != nil || $0.attributes["href"]?.hasPrefix("#") == false })
    }

    @Test func hostileNamesAreText() throws {
        var row = SampleRuns.row(SampleRuns.hostileName, [1, 2], peer: [1, 2])
        row.amount = Row.Amount(line: SampleRuns.hostileName, value: 1, unit: SampleRuns.hostileName)
        let run = SampleRuns.run([row, SampleRuns.row(SampleRuns.hostileName, [1], peer: [2], unit: SampleRuns.hostileName)])
        let report = try parsed(HTMLReport(run).text)
        #expect(report.count("script") == 0)
        #expect(report.text.contains("<script>\"a\" & 'b'</script> | \\  é"))
        let table = Summary(run).text.split(separator: "\n").filter { $0.hasPrefix("|") }
        // Each line has the same eight cells.
        #expect(table.allSatisfy { $0.replacing("\\|", with: "").filter { $0 == "|" }.count == 9 })
        for (_, plot) in Keep.plots(of: run) { _ = try parsed(plot) }
    }

    @Test func everyPlotStandsAlone() throws {
        let plots = Keep.plots(of: SampleRuns.run([SampleRuns.row("a", [1], peer: [2])] + SampleRuns.line))
        #expect(plots.map(\.name) == ["growth-loads", "ratios-engine"])
        for (_, plot) in plots { #expect(try parsed(plot).count("style") == 1) }
    }

    @Test func aRunWithoutRowsHasAReport() throws {
        #expect(try parsed(HTMLReport(SampleRuns.run([])).text).count("svg") == 0)
    }

    @Test func theKeptRunReplacesTheOneBefore() throws {
        let start = "<!-- The last full run: `make bench-keep` writes what follows. -->"
        let end = "<!-- The end of the last full run. -->"
        let text = "a\n\(start)\nold\n\(end)\nb\n"
        #expect(Keep.replacing(in: text, with: "new") == "a\n\(start)\n\nnew\n\n\(end)\nb\n")
        #expect(Keep.replacing(in: "a\n\(end)\(start)", with: "new") == nil)
    }

    // MARK: Axes

    @Test func anAxisHasFewRoundTicksWithinItsBounds() {
        for (values, ticks) in [
            ([10.0, 10_000], [10.0, 100, 1_000, 10_000]), ([3, 42], [2, 5, 10, 20, 50]), ([0, 0.9], [0, 0.5, 1]),
            ([100, 120], [0, 50, 100, 150]),
        ] {
            let axis = Axis(values, from: 0, to: 100)
            #expect(axis.ticks.map { ($0 * 1e6).rounded() / 1e6 } == ticks)
            #expect(values.allSatisfy { axis.bounds.contains($0) })
        }
    }

    @Test func aLogarithmicAxisHasEqualStepsForEqualFactors() {
        let axis = Axis([1, 100], from: 10, to: 30)
        #expect(axis.isLogarithmic)
        #expect([1, 10, 100].map(axis.place) == [10, 20, 30])
        #expect(axis.place(0) == 10 && axis.place(1e9) == 30)
        #expect(!Axis([0, 100], from: 0, to: 1).isLogarithmic)
    }

    @Test func ticksAreWrittenShortly() {
        #expect(
            [0.05, 1, 250, 10_000, 1_234_567, -1_000].map(Axis.text) == ["0.05", "1", "250", "10,000", "1,234,567", "-1,000"])
    }
}
