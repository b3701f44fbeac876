import Foundation

/// A terminal as far as its cursor goes: which character stands where, and where each picture begins. Rows are counted from
/// the beginning, whatever has scrolled away since.
struct TerminalScreen {
    struct Place: Hashable {
        var row: Int
        var column: Int
    }

    /// One control string that draws a picture: kitty's, iTerm2's or a sixel one.
    struct Drawing: Equatable {
        var place: Place
        var text: String
    }

    private let rows: Int
    private var (row, column, scrolled) = (0, 0, 0)
    private var saved = (row: 0, column: 0)
    private var foreground = ""
    private(set) var drawings: [Drawing] = []
    /// The colour (`SGR 38`) of each character that is no space.
    private(set) var characters: [Place: String] = [:]

    init(rows: Int) { self.rows = rows }

    var cursor: Place { Place(row: scrolled + row, column: column) }

    mutating func write(_ text: String) {
        var rest = Array(text.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\n":
                // As the line discipline has it, with a return.
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
            // What is cut off in the middle does nothing yet.
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
            case "m" where arguments.hasPrefix("38;"): foreground = arguments
            default: break
            }
        case let kind?:
            // A control string, up to `ESC \` or BEL.
            var text = String(kind)
            while let scalar = rest.popFirst(), scalar != "\u{07}" {
                if scalar == "\u{1B}", rest.first == "\\" {
                    rest.removeFirst()
                    break
                }
                text.unicodeScalars.append(scalar)
            }
            if text.hasPrefix("_Gq=2,m="), let last = drawings.indices.last {
                // A further chunk of kitty's last command.
                drawings[last].text += text.split(separator: ";").last ?? ""
            } else {
                drawings.append(Drawing(place: cursor, text: text))
            }
        case nil: break
        }
    }
}
