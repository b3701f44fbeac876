public import ImageCore

/// What a terminal can show, and how large it is: a value, found out from the environment and from the terminal's answers.
public struct Terminal: Hashable, Sendable {
    /// The ways to show a picture, best first.
    public enum Graphics: String, Hashable, Sendable, CaseIterable {
        case kitty
        case iTerm2
        case sixel
        case halfBlocks
        /// No pictures: there is no terminal, or it knows no colours.
        case none
    }

    public var graphics: Graphics
    public var colors: HalfBlocks.Colors = .trueColor
    /// In characters.
    public var columns: Int
    public var rows: Int
    /// Of one character, in pixels. 8 × 16 where the terminal does not say.
    public var cell = PixelSize(width: 8, height: 16)
    /// What transparent pictures are laid over; `nil` where the terminal does not say.
    public var background: HalfBlocks.RGB?
    /// Whether tmux or screen stands between: pictures that it does not know itself would be lost with its next redraw.
    public var isMultiplexed = false

    public init(graphics: Graphics, columns: Int, rows: Int) {
        (self.graphics, self.columns, self.rows) = (graphics, max(1, columns), max(1, rows))
    }

    /// What the environment tells, without asking the terminal.
    ///
    /// - Parameters:
    ///   - environment: variables by name. `NO_COLOR` (no-color.org) and `TERM=dumb` mean no pictures.
    ///   - isTerminal: whether output goes to a terminal at all.
    ///   - size: in characters.
    public init(environment: [String: String], isTerminal: Bool, size: (columns: Int, rows: Int)) {
        self.init(graphics: .none, columns: size.columns, rows: size.rows)
        let term = environment["TERM"] ?? ""
        guard isTerminal, !term.isEmpty, term != "dumb", environment["NO_COLOR"].map(\.isEmpty) ?? true else { return }
        isMultiplexed = environment["TMUX"] != nil || term.hasPrefix("tmux") || term.hasPrefix("screen")
        graphics = .halfBlocks
        let program = environment["TERM_PROGRAM"] ?? ""
        let isTrue = ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") || term.hasSuffix("-direct")
        colors = isTrue || isMultiplexed && environment["COLORTERM"] == nil ? .trueColor : .palette
        // Variables of the terminal itself are inherited by what runs inside tmux, where they no longer hold.
        guard !isMultiplexed else { return }
        if environment["KITTY_WINDOW_ID"] != nil || term == "xterm-kitty" || program == "ghostty" || term == "xterm-ghostty" {
            (graphics, colors) = (.kitty, .trueColor)
        } else if program == "iTerm.app" || program == "WezTerm" || environment["LC_TERMINAL"] == "iTerm2" {
            (graphics, colors) = (.iTerm2, .trueColor)
        } else if ["foot", "foot-extra", "mlterm", "yaft-256color"].contains(term) {
            (graphics, colors) = (.sixel, .trueColor)
        }
    }

    /// What to ask the terminal: kitty's graphics (a picture of one pixel, not kept), the size of a cell (`CSI 16 t`), the
    /// background (`OSC 11`), and last what every terminal answers, its attributes (`CSI c`), which ends the waiting.
    public static let query = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[16t\u{1B}]11;?\u{1B}\\\u{1B}[c"

    /// Whether the answers to ``query`` are complete.
    public static func isComplete(_ answers: [UInt8]) -> Bool { TerminalAnswers(answers).attributes != nil }

    /// Takes what the terminal answered into account. What is missing or garbled changes nothing.
    public mutating func update(from answers: [UInt8]) {
        guard graphics != .none else { return }
        let answers = TerminalAnswers(answers)
        if let cell = answers.cell { self.cell = cell }
        if let background = answers.background { self.background = background }
        if answers.knowsKitty, !isMultiplexed {
            (graphics, colors) = (.kitty, .trueColor)
        } else if answers.attributes?.contains(4) == true, graphics == .halfBlocks {
            // Inside tmux this is its own answer: it knows sixels and keeps them.
            graphics = .sixel
        }
    }
}

/// The terminal's answers taken apart. Anything may come: keys that the user pressed, or nothing.
struct TerminalAnswers {
    private(set) var knowsKitty = false
    private(set) var cell: PixelSize?
    private(set) var background: HalfBlocks.RGB?
    private(set) var attributes: [Int]?

    init(_ bytes: [UInt8]) {
        for part in String(decoding: bytes.prefix(4096), as: UTF8.self).split(separator: "\u{1B}") {
            if part.hasPrefix("_G") { knowsKitty = knowsKitty || part.hasPrefix("_Gi=31;OK") }
            if part.hasPrefix("[6;"), part.hasSuffix("t") {
                let numbers = part.dropFirst(3).dropLast().split(separator: ";").compactMap { Int($0) }
                if numbers.count == 2, (1...200).contains(numbers[0]), (1...200).contains(numbers[1]) {
                    cell = PixelSize(width: numbers[1], height: numbers[0])
                }
            }
            if part.hasPrefix("]11;rgb:") { background = TerminalAnswers.color(part.dropFirst(8)) }
            if part.hasPrefix("[?"), let end = part.firstIndex(of: "c") {
                attributes = part[..<end].dropFirst(2).split(separator: ";").compactMap { Int($0) }
            }
        }
    }

    /// `RRRR/GGGG/BBBB`, one to four hexadecimal digits each, as X11 writes colours.
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
    /// A message on one line, without characters that a terminal would act on: names of files, sources and servers choose parts
    /// of it.
    package static func sanitized(_ message: String) -> String {
        String(String.UnicodeScalarView(message.unicodeScalars.map { $0.value < 32 || 127...159 ~= $0.value ? " " : $0 }))
    }
}
