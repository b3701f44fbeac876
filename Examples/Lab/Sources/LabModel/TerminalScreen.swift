import Calotype

/// What a terminal shows that receives lines of half blocks: two colours in each cell.
package struct TerminalScreen: Equatable, Sendable {
    /// The size of the screen.
    package static let columns = 60, rows = 20

    package struct Cell: Equatable, Sendable {
        /// The colours of the upper and the lower half; `nil` for the background of the terminal.
        package var top: HalfBlocks.RGB?, bottom: HalfBlocks.RGB?
    }

    package let cells: [[Cell]]

    /// Reads lines of text with 24-bit colours (`ESC [ … m`), blanks and half blocks.
    package init(_ lines: [String]) {
        cells = lines.map { line in
            var (foreground, background): (HalfBlocks.RGB?, HalfBlocks.RGB?) = (nil, nil)
            var cells: [Cell] = []
            var rest = line[...]
            while let character = rest.popFirst() {
                switch character {
                case "\u{1B}":
                    let end = rest.firstIndex(of: "m") ?? rest.endIndex
                    let codes = rest[..<end].dropFirst().split(separator: ";").compactMap { UInt8($0) }
                    rest = rest[end...].dropFirst()
                    let color = codes.count == 5 ? HalfBlocks.RGB(red: codes[2], green: codes[3], blue: codes[4]) : nil
                    switch codes.first {
                    case 38, 39: foreground = color
                    case 48, 49: background = color
                    default: (foreground, background) = (nil, nil)
                    }
                case "▀": cells.append(Cell(top: foreground, bottom: background))
                case "▄": cells.append(Cell(top: background, bottom: foreground))
                default: cells.append(Cell(top: background, bottom: background))
                }
            }
            return cells
        }
    }
}
