internal import ImageTargets

/// Rows of text in aligned columns.
struct Table {
    enum Alignment { case left, right }

    private let alignments: [Alignment]
    private var rows: [[String]]

    /// - Parameter columns: the heading and the alignment of each column.
    init(_ columns: [(heading: String, alignment: Alignment)]) {
        alignments = columns.map(\.alignment)
        rows = [columns.map(\.heading)]
    }

    /// Adds a row with one cell for each column.
    mutating func add(_ cells: [String]) { rows.append(cells.map(Terminal.sanitized)) }

    /// The table as text, two spaces between columns. An empty column is left out.
    var text: String {
        let columns = alignments.indices.filter { column in rows.dropFirst().contains { !$0[column].isEmpty } }
        let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let row = TableRow(zip(columns, widths).map { (alignments[$0], $1) })
        return rows.map { cells in row.line(columns.map { cells[$0] }) }.joined(separator: "\n")
    }
}

/// One line of a table: cells in columns of known widths, two spaces apart.
struct TableRow {
    private let columns: [(alignment: Table.Alignment, width: Int)]

    init(_ columns: [(alignment: Table.Alignment, width: Int)]) { self.columns = columns }

    /// A cell that is wider than its column moves the rest of the line to the right.
    func line(_ cells: [String]) -> String {
        let line = zip(columns, cells).map { column, cell in
            let padding = String(repeating: " ", count: max(0, column.width - cell.count))
            return column.alignment == .left ? cell + padding : padding + cell
        }.joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}
