/// Rows of text in columns, two spaces apart.
struct Table {
    private let rightAligned: Set<Int>
    private var rows: [[String]]

    init(_ headings: [String], rightAligned: Set<Int>) { (rows, self.rightAligned) = ([headings], rightAligned) }

    mutating func add(_ cells: [String]) { rows.append(cells) }

    /// Returns the headings and one line for each row.
    var text: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { cells in
            let line = zip(cells.indices, cells).map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return rightAligned.contains(column) ? padding + cell : cell + padding
            }.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}
