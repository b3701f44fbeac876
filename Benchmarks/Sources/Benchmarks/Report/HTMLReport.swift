internal import Foundation

/// The report of a run: one HTML file without scripts or links to other files.
struct HTMLReport {
    private let run: Run

    init(_ run: Run) { self.run = run }

    var text: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8"/>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <meta name="color-scheme" content="light dark"/>
        <title>Calotype benchmarks, \(run.date.html)</title>
        <style>\(Style.plots)\(Style.page)</style>
        </head>
        <body>
        <h1>Calotype benchmarks</h1>
        \(facts)
        <nav>\(navigation)</nav>
        \(budgets)
        \(growth)
        \(suites.map(section).joined(separator: "\n"))
        \(method)
        </body>
        </html>

        """
    }

    /// The suites of the rows in their order.
    private var suites: [String] { run.rows.map(\.suite).uniqued() }

    private var facts: String {
        let facts = [(name: "Date", value: run.date)] + run.facts
        let items = facts.map { "<dt>\($0.name.html)</dt><dd>\($0.value.html)</dd>" }
        return "<dl>\(items.joined())<dt>Repeat</dt><dd><code>\(run.command.html)</code></dd></dl>"
    }

    private var navigation: String {
        let growth = run.lines.isEmpty ? [] : [("growth", "as work grows")]
        return (growth + suites.map { (Self.anchor($0), $0) } + [("method", "how to read")])
            .map { "<a href=\"#\($0.0)\">\($0.1.html)</a>" }.joined(separator: "\n")
    }

    // MARK: Budgets

    private var budgets: String {
        let limited = run.rows.filter { $0.isWithinBudget != nil }
        guard !limited.isEmpty else { return "" }
        let over = limited.filter { $0.isWithinBudget == false }
        let items = over.map { row in
            let beside = row.peer.map { " beside \($0.name)" } ?? ""
            let figure = row.ratio.map { "\(Row.threeDigits($0))×" } ?? ""
            let measured = "\(Row.threeDigits(row.median)) \(row.unit)"
            return
                "<li class=\"over\">\("\(row.suite): \(row.name)\(beside): \(measured) \(figure), budget \(row.budgetText)".html)</li>"
        }
        return """
            <h2>Budgets</h2>
            <p>\(limited.count - over.count) of \(limited.count) figures with a budget are within it\(over.isEmpty ? "." : "; these are over:")</p>
            \(items.isEmpty ? "" : "<ul>\(items.joined())</ul>")
            """
    }

    // MARK: Plots

    private var growth: String {
        let plots = run.lines.map { LinePlot(rows: $0).svg() }
        guard !plots.isEmpty else { return "" }
        return """
            <h2 id="growth">Cost as work grows</h2>
            <p class="note">Medians with quartiles, on logarithmic axes: a line that rises as steeply as the work grows is linear.</p>
            <div class="plots">\(plots.joined(separator: "\n"))</div>
            """
    }

    private func section(_ suite: String) -> String {
        let rows = run.rows.filter { $0.suite == suite }
        // Points of lines have their plot already.
        let single = rows.filter { $0.amount == nil }
        var plots = single.map(\.unit).uniqued().map { unit in
            RangePlot(title: "\(suite), \(unit)", rows: single.filter { $0.unit == unit }).svg()
        }
        for isHigherBetter in [false, true] {
            let compared = single.filter { $0.isHigherBetter == isHigherBetter && $0.ratio != nil }
            if !compared.isEmpty { plots.append(RatioPlot(title: "\(suite), ratios to peers", rows: compared).svg()) }
        }
        return """
            <h2 id="\(Self.anchor(suite))">\(suite.html)</h2>
            <div class="plots">\(plots.joined(separator: "\n"))</div>
            <details><summary>All figures of \(suite.html)</summary><div class="scroll">\(table(rows))</div></details>
            """
    }

    private func table(_ rows: [Row]) -> String {
        let lines = rows.map { row in
            let peer = row.peer?.value.map { value in
                Summary.figure(value, row.peer?.samples ?? []) + (row.peer?.isRecorded == true ? "*" : "")
            }
            let isOver = row.isWithinBudget == false
            return """
                <tr><td>\(row.name.html)</td><td class="number">\(Summary.figure(row.median, row.samples))</td>\
                <td>\(row.unit.html)</td><td class="number">\(max(1, row.samples.count))</td><td>\((row.peer?.name ?? "").html)</td>\
                <td class="number">\(peer ?? "")</td><td class="number">\(row.ratio.map(Row.threeDigits) ?? "")</td>\
                <td\(isOver ? " class=\"over\"" : "")>\((row.budgetText + (isOver ? " over" : "")).html)</td></tr>
                """
        }
        return """
            <table><thead><tr><th>what</th><th class="number">median (quartiles)</th><th>unit</th><th class="number">samples</th>\
            <th>peer</th><th class="number">peer's (quartiles)</th><th class="number">ratio</th><th>budget</th></tr></thead>
            <tbody>\(lines.joined(separator: "\n"))</tbody></table>
            """
    }

    private var method: String {
        let missing = run.missing.map { "<li>\($0.html)</li>" }.joined()
        return """
            <h2 id="method">How to read this</h2>
            <p>A dot is the median of the samples, and the bar through it reaches from the first to the third quartile. A ratio is \
            Calotype's median divided by the peer's; its bar is the range that the quartiles of both allow. Peers are measured in the \
            same run, mostly in turn with Calotype, because times differ by tens of percent between runs. Compare within a run, and by \
            ratios.\(run.hasRecordedFigures ? " A hollow dot and a star mark figures that were \(Run.noteOnRecordedFigures)." : "")</p>
            <p>A red mark in a plot of ratios is the budget, the limit that the project sets itself; a red figure is over it. A peer \
            that is not installed has no figure.</p>
            \(missing.isEmpty ? "" : "<p>Not measured:</p><ul>\(missing)</ul>")
            """
    }

    private static func anchor(_ suite: String) -> String {
        "suite-" + suite.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "-" }.map(String.init).joined().html
    }
}

extension Run {
    /// The rows of each line, in the order of the first of each.
    var lines: [[Row]] {
        struct Name: Hashable {
            let suite: String
            let line: String
        }
        let points = rows.compactMap { row in row.amount.map { (Name(suite: row.suite, line: $0.line), row) } }
        return points.map(\.0).uniqued().map { name in points.filter { $0.0 == name }.map(\.1) }
    }
}

extension String {
    fileprivate var html: String { Markup.escaped(self) }
}
