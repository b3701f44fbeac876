internal import ImageCore
internal import ImageTargets

/// The images of a grid, row by row. It only makes text and writes nothing.
struct ImageGrid {
    let imagesPerRow: Int
    /// The width of an image in characters.
    let columns: Int
    let showsNames: Bool
    private var row: [(drawing: TerminalImage.Drawing, name: String)] = []
    private var isFirstRow = true

    init(imagesPerRow: Int, columns: Int, showsNames: Bool) {
        (self.imagesPerRow, self.columns, self.showsNames) = (imagesPerRow, columns, showsNames)
    }

    /// Adds an image. Returns the text of the row if it is full.
    mutating func add(_ drawing: TerminalImage.Drawing, name: String) -> String {
        row.append((drawing, name))
        return row.count == imagesPerRow ? endRow() : ""
    }

    /// Returns the text of the images that wait for their row, after an empty row if there is a row above.
    mutating func endRow() -> String {
        guard !row.isEmpty else { return "" }
        defer { (row, isFirstRow) = ([], false) }
        let images = TerminalImage.row(row.enumerated().map { ($1.drawing, column: $0 * (columns + 1)) })
        let names = row.enumerated().map { index, item in
            (index > 0 ? "\r\u{1B}[\(index * (columns + 1))C" : "") + ImageGrid.label(item.name, columns: columns)
        }
        return (isFirstRow ? "" : "\n") + images + (showsNames ? names.joined() + "\n" : "")
    }

    /// The last component of a path or URL, without control characters and at most as wide as an image.
    static func label(_ name: String, columns: Int) -> String {
        let last = name.split(separator: "/").last.map(String.init) ?? name
        return String(Terminal.sanitized(last).prefix(columns))
    }
}
