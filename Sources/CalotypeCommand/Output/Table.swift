internal import ImageTargets

/// Rows of text in aligned columns.
struct Table {
    enum Alignment { case left, right }

    private let alignments: [Alignment]
    private var rows: [[String]]

    /// - Parameter columns: headings with how their columns line up.
    init(_ columns: [(heading: String, alignment: Alignment)]) {
        alignments = columns.map(\.alignment)
        rows = [columns.map(\.heading)]
    }

    /// Adds a row; missing cells stay empty.
    mutating func add(_ cells: [String]) {
        rows.append((0..<alignments.count).map { $0 < cells.count ? Terminal.harmless(cells[$0]) : "" })
    }

    /// The table, heading first, one line a row, columns two spaces apart. A column with nothing in it is left out.
    var text: String {
        let columns = alignments.indices.filter { column in rows.dropFirst().contains { !$0[column].isEmpty } }
        let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let line = zip(columns, widths).map { column, width in
                let padding = String(repeating: " ", count: width - row[column].count)
                return alignments[column] == .left ? row[column] + padding : padding + row[column]
            }.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}
