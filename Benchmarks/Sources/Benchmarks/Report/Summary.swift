/// The rows of a run as a Markdown table to paste.
struct Summary {
    private let run: Run

    init(_ run: Run) { self.run = run }

    var text: String { "# Benchmarks, \(run.date)\n\n\(section)\n" }

    /// The summary without its heading.
    var section: String {
        let over = run.rows.filter { $0.isWithinBudget == false }.count
        let budgets = run.rows.filter { $0.isWithinBudget != nil }.count
        var lines = ["Measured on \(run.date). Repeat: `\(run.command)`.", ""]
        lines += run.facts.map { "- \($0.name): \(Markup.markdown($0.value))" }
        lines += ["", "\(budgets - over) of \(budgets) figures with a budget are within it.", "", table]
        return (lines + notes).joined(separator: "\n")
    }

    private var table: String {
        let headings = ["suite", "what", "median (quartiles)", "unit", "peer", "peer's (quartiles)", "ratio", "budget"]
        let rows = run.rows.map { row in
            [
                row.suite, row.name, Self.figure(row.median, row.samples), row.unit, row.peer?.name ?? "",
                row.peer?.value.map { Self.figure($0, row.peer?.samples ?? []) + (row.peer?.isRecorded == true ? "*" : "") }
                    ?? "",
                row.ratio.map(Row.threeDigits) ?? "",
                row.budgetText + (row.isWithinBudget == false ? " over" : ""),
            ].map(Markup.markdown)
        }
        return ([headings, ["---", "---", "--:", "---", "---", "--:", "--:", "---"]] + rows)
            .map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }

    /// What the table needs to be understood.
    private var notes: [String] {
        var notes = ["", "A ratio is the figure divided by the peer's. An empty cell is of a peer that is not installed."]
        if run.hasRecordedFigures { notes.append("\\* " + Run.noteOnRecordedFigures) }
        return notes + run.missing.map { "Not measured: \(Markup.markdown($0))." }
    }

    /// `14.2 (13.9–15.0)`.
    static func figure(_ median: Double, _ samples: [Double]) -> String {
        let quartiles = samples.quartiles.map { " (\(Row.threeDigits($0.lowerBound))–\(Row.threeDigits($0.upperBound)))" }
        return Row.threeDigits(median) + (quartiles ?? "")
    }
}

extension Run {
    /// The machine and everything else that figures depend on.
    var facts: [(name: String, value: String)] {
        let known = versions.compactMap { version in version.version.map { "\(version.name) \($0)" } }
        let absent = versions.filter { $0.version == nil }.map(\.name)
        return [
            ("Machine", "\(machine.processors) × \(machine.processor), \(machine.memoryGigabytes) GB"),
            ("System", machine.system),
            ("Load before the run", "\(Row.threeDigits(machine.load)) tasks, averaged over a minute"),
            ("Build", isDebugBuild ? "debug, so the figures mean nothing" : "release"),
            ("Effort", effort == .smoke ? "smoke: a moment for each suite, so the figures mean little" : "full"),
            ("Seed", "\(seed)"), ("Commit", commit ?? "unknown"),
            (
                "Versions",
                known.joined(separator: ", ") + (absent.isEmpty ? "" : "; not installed: \(absent.joined(separator: ", "))")
            ),
        ]
    }

    var hasRecordedFigures: Bool { rows.contains { $0.peer?.isRecorded == true } }

    static let noteOnRecordedFigures = "recorded earlier on a machine of the same kind, not in this run"
}
