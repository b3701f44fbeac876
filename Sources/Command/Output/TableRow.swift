/// One line of a table: cells in columns of known widths, two spaces apart.
struct TableRow {
    enum Alignment { case left, right }

    private let columns: [(alignment: Alignment, width: Int)]

    init(_ columns: [(alignment: Alignment, width: Int)]) { self.columns = columns }

    /// A cell that is wider than its column moves the rest of the line to the right.
    func line(_ cells: [String]) -> String {
        let line = zip(columns, cells).map { column, cell in
            let padding = String(repeating: " ", count: max(0, column.width - cell.count))
            return column.alignment == .left ? cell + padding : padding + cell
        }.joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}
