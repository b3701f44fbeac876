public import ImageCore

/// The abilities and the size of a terminal, found out from the environment and from the terminal's answers.
public struct Terminal: Hashable, Sendable {
    /// The ways to show an image, best first.
    public enum Graphics: String, Hashable, Sendable, CaseIterable {
        /// The kitty graphics protocol.
        case kitty
        /// iTerm2's protocol.
        case iTerm2
        /// Sixels.
        case sixel
        /// Text; see ``HalfBlocks``.
        case halfBlocks
        /// No images: there is no terminal, or it has no colours.
        case none
    }

    /// The best way to show an image.
    public var graphics: Graphics
    /// The colours of text; 24-bit colours by default.
    public var colors: HalfBlocks.Colors = .trueColor
    /// The width in character cells.
    public var columns: Int
    /// The height in character cells.
    public var rows: Int
    /// The size of a character cell in pixels; 8 × 16 where it is unknown.
    public var cell = PixelSize(width: 8, height: 16) {
        didSet { isCellKnown = true }
    }
    /// Whether the terminal or the system reported the size of a cell. Sixels of a wrong size would cover other text.
    private var isCellKnown = false
    /// The size of the largest sixel image, in pixels; `nil` if it is unknown. xterm cuts off what exceeds 1,000 ×
    /// 1,000.
    public var maximumSixelSize: PixelSize?
    /// The background colour; `nil` if it is unknown.
    public var background: HalfBlocks.RGB?
    /// Whether the output goes through tmux or screen. They remove images that they do not support when they redraw.
    public var isMultiplexed = false
    /// Makes a terminal with default colours and cells.
    ///
    /// - Parameters:
    ///   - graphics: the best way to show an image.
    ///   - columns: the width in character cells, at least 1.
    ///   - rows: the height in character cells, at least 1.
    public init(graphics: Graphics, columns: Int, rows: Int) {
        (self.graphics, self.columns, self.rows) = (graphics, max(1, columns), max(1, rows))
    }

    /// Finds out from the environment what a terminal can show.
    ///
    /// - Parameters:
    ///   - environment: the environment variables. `NO_COLOR` (no-color.org), `TERM=dumb` and the names of terminals
    ///     without colours, such as `vt100`, disable images.
    ///   - isTerminal: whether the output goes to a terminal.
    ///   - size: the size in character cells.
    ///   - pixels: the size of the window in pixels (`ws_xpixel` and `ws_ypixel` of `TIOCGWINSZ`), from which the size
    ///     of a cell follows if the terminal does not report it; `nil`, the default, or a component of 0 if it is
    ///     unknown.
    public init(
        environment: [String: String], isTerminal: Bool, size: (columns: Int, rows: Int), pixels: PixelSize? = nil
    ) {
        self.init(graphics: .none, columns: size.columns, rows: size.rows)
        if let pixels { setCell(windowSize: pixels) }
        let term = environment["TERM"] ?? ""
        guard isTerminal, Terminal.hasColors(term), environment["NO_COLOR"].map(\.isEmpty) ?? true else { return }
        isMultiplexed = environment["TMUX"] != nil || term.hasPrefix("tmux") || term.hasPrefix("screen")
        graphics = .halfBlocks
        let program = environment["TERM_PROGRAM"] ?? ""
        let isTrue = ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") || term.hasSuffix("-direct")
        if isTrue || isMultiplexed && environment["COLORTERM"] == nil {
            colors = .trueColor
        } else {
            colors = term == "linux" || term == "ansi" || term.hasSuffix("-16color") ? .ansi : .palette
        }
        // Programs inside tmux inherit the variables of the outer terminal, which do not describe tmux.
        guard !isMultiplexed else { return }
        if environment["KITTY_WINDOW_ID"] != nil || term == "xterm-kitty" || program == "ghostty" || term == "xterm-ghostty" {
            (graphics, colors) = (.kitty, .trueColor)
        } else if program == "iTerm.app" || program == "WezTerm" || environment["LC_TERMINAL"] == "iTerm2" {
            (graphics, colors) = (.iTerm2, .trueColor)
        } else if ["foot", "foot-extra", "mlterm", "yaft-256color"].contains(term) {
            (graphics, colors) = (.sixel, .trueColor)
        }
    }

    /// Whether a terminal of a name of terminfo has colours. DEC's terminals and names with the suffixes for monochrome
    /// have none.
    private static func hasColors(_ term: String) -> Bool {
        !["", "dumb", "unknown"].contains(term) && !term.hasPrefix("vt") && !term.hasSuffix("-m") && !term.hasSuffix("-mono")
    }

    /// Sets the size of a cell from that of the window. The window may have a border, so that the division rounds down.
    private mutating func setCell(windowSize: PixelSize) {
        let cell = PixelSize(width: windowSize.width / columns, height: windowSize.height / rows)
        if (1...200).contains(cell.width), (1...200).contains(cell.height) { self.cell = cell }
    }

    /// The text that asks the terminal for what the environment does not tell.
    ///
    /// It asks for kitty's graphics (with an image of one pixel, which is not kept), except inside tmux, which would
    /// take that for a title; for the size of a cell (`CSI 16 t`); for the background (`OSC 11`); for 24-bit colours,
    /// by setting one and reading it back (`DECRQSS`); for the largest sixel image (`XTSMGRAPHICS`); and last for the
    /// attributes (`CSI c`), which every terminal answers. Empty if there is nothing to ask.
    public var query: String {
        // The Linux console and its like know none of these control strings, and would print some of them.
        guard graphics != .none, colors != .ansi else { return "" }
        let kitty = isMultiplexed ? "" : "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
        let trueColor = colors == .trueColor ? "" : "\u{1B}[48;2;1;2;3m\u{1B}P$qm\u{1B}\\\u{1B}[m"
        return kitty + "\u{1B}[16t\u{1B}]11;?\u{1B}\\" + trueColor + "\u{1B}[?2;1;0S\u{1B}[c"
    }

    /// Returns whether the terminal has answered all of ``query``.
    public static func isComplete(_ answers: [UInt8]) -> Bool { TerminalAnswers(answers).attributes != nil }

    /// Updates the abilities from the terminal's answers to ``query``. Missing and malformed answers change nothing.
    ///
    /// Sixels are chosen only if the size of a cell is known, since they would otherwise cover other text.
    public mutating func update(from answers: [UInt8]) {
        guard graphics != .none else { return }
        let answers = TerminalAnswers(answers)
        if let cell = answers.cell { self.cell = cell }
        if let size = answers.maximumSixelSize { maximumSixelSize = size }
        if let background = answers.background { self.background = background }
        if answers.supportsTrueColor { colors = .trueColor }
        if answers.supportsKitty, !isMultiplexed {
            (graphics, colors) = (.kitty, .trueColor)
        } else if answers.attributes?.contains(4) == true, graphics == .halfBlocks {
            // Inside tmux, this is the answer of tmux, which supports sixels and redraws them.
            graphics = .sixel
        }
        if graphics == .sixel, !isCellKnown { graphics = .halfBlocks }
    }
}

/// The parsed answers of a terminal. The input may also contain keys that the user pressed.
struct TerminalAnswers {
    private(set) var supportsKitty = false
    private(set) var supportsTrueColor = false
    private(set) var cell: PixelSize?
    private(set) var maximumSixelSize: PixelSize?
    private(set) var background: HalfBlocks.RGB?
    private(set) var attributes: [Int]?

    init(_ bytes: [UInt8]) {
        for part in String(decoding: bytes.prefix(4096), as: UTF8.self).split(separator: "\u{1B}") {
            if part.hasPrefix("_G") { supportsKitty = supportsKitty || part.hasPrefix("_Gi=31;OK") }
            // The colours of `SGR 48`, in one of the three ways of writing them.
            if part.hasPrefix("P1$r"), ["48:2::1:2:3", "48:2:1:2:3", "48;2;1;2;3"].contains(where: part.contains) {
                supportsTrueColor = true
            }
            if let size = TerminalAnswers.pair(in: part, after: "[6;", before: "t", atMost: 200) {
                cell = PixelSize(width: size.1, height: size.0)
            }
            // The item is the geometry of sixels (2), and the status 0 means success.
            if let size = TerminalAnswers.pair(in: part, after: "[?2;0;", before: "S", atMost: 65_535) {
                maximumSixelSize = PixelSize(width: size.0, height: size.1)
            }
            if part.hasPrefix("]11;rgb:") { background = TerminalAnswers.color(part.dropFirst(8)) }
            if part.hasPrefix("[?"), let end = part.firstIndex(of: "c") {
                attributes = part[..<end].dropFirst(2).split(separator: ";").compactMap { Int($0) }
            }
        }
    }

    /// Two numbers from 1 to a limit, with a semicolon between them.
    private static func pair(in part: Substring, after start: String, before end: String, atMost limit: Int) -> (Int, Int)? {
        guard part.hasPrefix(start), part.hasSuffix(end) else { return nil }
        let numbers = part.dropFirst(start.count).dropLast().split(separator: ";").compactMap { Int($0) }
        guard numbers.count == 2, numbers.allSatisfy({ (1...limit).contains($0) }) else { return nil }
        return (numbers[0], numbers[1])
    }

    /// Parses a colour of X11, `RRRR/GGGG/BBBB`, with one to four hexadecimal digits per component.
    private static func color(_ text: Substring) -> HalfBlocks.RGB? {
        let parts = text.prefix { $0 != "\u{07}" }.split(separator: "/").map { part -> UInt8? in
            guard (1...4).contains(part.count), let value = Int(part, radix: 16) else { return nil }
            return UInt8(value * 255 / ((1 << (4 * part.count)) - 1))
        }
        guard parts.count == 3, let red = parts[0], let green = parts[1], let blue = parts[2] else { return nil }
        return HalfBlocks.RGB(red: red, green: green, blue: blue)
    }
}

extension Terminal {
    /// Returns a message with spaces instead of line breaks and control characters, on which a terminal would act. File
    /// names, URLs and servers supply parts of messages.
    package static func sanitized(_ message: String) -> String {
        String(String.UnicodeScalarView(message.unicodeScalars.map { $0.value < 32 || 127...159 ~= $0.value ? " " : $0 }))
    }
}
