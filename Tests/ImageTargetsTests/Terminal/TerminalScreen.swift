import Foundation

/// A model of a terminal's cursor: where each character is, and where each image begins. Row 0 is the first row ever
/// written, even if it has scrolled off the screen.
struct TerminalScreen {
    struct Position: Hashable {
        var row: Int
        var column: Int
    }

    /// A control string that draws an image: kitty's, iTerm2's or sixels.
    struct Drawing: Equatable {
        var position: Position
        var text: String
    }

    private let rows: Int
    private var (row, column, scrolled) = (0, 0, 0)
    private var saved = (row: 0, column: 0)
    private var foreground = ""
    private(set) var drawings: [Drawing] = []
    /// The colour (`SGR 38`) of each character except spaces.
    private(set) var characters: [Position: String] = [:]

    init(rows: Int) { self.rows = rows }

    var cursor: Position { Position(row: scrolled + row, column: column) }

    mutating func write(_ text: String) {
        var rest = Array(text.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\n":
                // The terminal driver adds a carriage return.
                column = 0
                if row < rows - 1 { row += 1 } else { scrolled += 1 }
            case "\r": column = 0
            case "\u{1B}": escape(&rest)
            default:
                characters[cursor] = scalar == " " ? nil : foreground
                column += 1
            }
        }
    }

    private mutating func escape(_ rest: inout ArraySlice<Unicode.Scalar>) {
        switch rest.popFirst() {
        case "7": saved = (row, column)
        case "8": (row, column) = saved
        case "[":
            // An incomplete sequence has no effect.
            guard let end = rest.firstIndex(where: { (64...126).contains($0.value) }) else { return rest = [] }
            let arguments = String(String.UnicodeScalarView(rest[..<end]))
            let command = rest[end]
            rest = rest[(end + 1)...]
            let count = Int(arguments) ?? 1
            switch command {
            case "A": row = max(0, row - count)
            case "B": row = min(rows - 1, row + count)
            case "C": column += count
            case "J":
                characters = characters.filter { $0.key.row < cursor.row || $0.key.row == cursor.row && $0.key.column < column }
            case "K": characters = characters.filter { $0.key.row != cursor.row || $0.key.column < column }
            case "m" where arguments.hasPrefix("38;"): foreground = arguments
            default: break
            }
        case let kind?:
            // A control string ends with `ESC \` or BEL.
            var text = String(kind)
            while let scalar = rest.popFirst(), scalar != "\u{07}" {
                if scalar == "\u{1B}", rest.first == "\\" {
                    rest.removeFirst()
                    break
                }
                text.unicodeScalars.append(scalar)
            }
            if text.hasPrefix("_Gq=2,m="), let last = drawings.indices.last {
                // This is a further chunk of kitty's last command.
                drawings[last].text += text.split(separator: ";").last ?? ""
            } else {
                drawings.append(Drawing(position: cursor, text: text))
            }
        case nil: break
        }
    }
}
