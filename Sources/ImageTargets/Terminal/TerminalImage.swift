public import ImageCore
internal import ImageKernels

/// Draws images into a box of character cells, in the best way that a terminal supports. It only makes text and writes
/// nothing.
public struct TerminalImage: Sendable {
    /// The terminal for which to draw.
    public var terminal: Terminal
    /// The width of the box in character cells.
    public var columns: Int
    /// The height of the box in character cells.
    public var rows: Int
    /// The identifier of the image in kitty's protocol. An image with the same identifier replaces the first one.
    public var id: UInt32
    /// Encodes PNG files for the protocols of kitty and iTerm2.
    public var encoder: any Encoding

    /// Makes the drawing of a box.
    ///
    /// - Parameters:
    ///   - terminal: the terminal for which to draw.
    ///   - columns: the width of the box in character cells; the terminal's by default.
    ///   - rows: the height of the box in character cells; one less than the terminal's by default.
    ///   - id: the identifier of the image in kitty's protocol; 1 by default.
    ///   - encoder: encodes PNG files for the protocols of kitty and iTerm2.
    public init(_ terminal: Terminal, columns: Int? = nil, rows: Int? = nil, id: UInt32 = 1, encoder: any Encoding) {
        self.terminal = terminal
        self.columns = max(1, min(10_000, columns ?? terminal.columns))
        // The last row is for the prompt.
        self.rows = max(1, min(10_000, rows ?? terminal.rows - 1))
        self.id = id
        self.encoder = encoder
    }

    /// The size of the box in pixels: the target size with which to load images.
    public var targetSize: PixelSize {
        usesPixels ? pixelBox : PixelSize(width: columns, height: rows * 2)
    }

    private var pixelBox: PixelSize {
        let box = PixelSize(width: columns * terminal.cell.width, height: rows * terminal.cell.height)
        guard terminal.graphics == .sixel, let maximum = terminal.maximumSixelSize else { return box }
        return PixelSize(width: min(box.width, maximum.width), height: min(box.height, maximum.height))
    }

    private var usesPixels: Bool { terminal.graphics != .halfBlocks && terminal.graphics != .none }

    /// The text that draws an image, and the space that the image covers.
    public struct Drawing: Hashable, Sendable {
        /// The width in character cells.
        public var columns: Int
        /// The height in character cells.
        public var rows: Int
        /// Lines of text, or one escape sequence that draws the whole image at the cursor and does not move it.
        public var lines: [String]
        /// Whether each line is one row of characters.
        public var isText: Bool

        /// Returns the text that draws the image in the row of the cursor, and leaves the cursor at the start of the
        /// row below the image.
        ///
        /// The text first scrolls the terminal if there are not enough rows below the cursor.
        ///
        /// - Parameter column: the column of the left edge, from 0; 0 by default.
        public func placed(atColumn column: Int = 0) -> String { TerminalImage.row([(self, column)]) }
    }

    /// Draws an image, scaled down to fit the box and never enlarged.
    ///
    /// - Returns: the drawing, or `nil` if the terminal does not show images.
    /// - Throws: an error if there is no memory for the scaled image or the encoder fails.
    public func draw(_ image: DecodedImage) throws -> Drawing? {
        try draw(image, sixelBackground: terminal.background)
    }

    /// Draws a frame of an animation over the frame before it. A sixel that is not set would keep the pixel of the
    /// frame before, so that transparent pixels become black if the terminal's background is unknown.
    func drawFrame(_ image: DecodedImage) throws -> Drawing? {
        try draw(image, sixelBackground: terminal.background ?? HalfBlocks.RGB(red: 0, green: 0, blue: 0))
    }

    private func draw(_ image: DecodedImage, sixelBackground: HalfBlocks.RGB?) throws -> Drawing? {
        guard terminal.graphics != .none else { return nil }
        guard usesPixels else {
            let blocks = HalfBlocks(columns: columns, rows: rows, background: terminal.background, colors: terminal.colors)
            let size = ResizeGeometry(source: image.size, box: blocks.targetSize, mode: .fit).output
            let lines = blocks.lines(image.bitmap)
            return Drawing(columns: size.width, rows: lines.count, lines: lines, isText: true)
        }
        let image = image.with(try fitted(image.bitmap))
        return try drawing(of: image.size) { columns, rows in
            switch terminal.graphics {
            case .kitty: KittyGraphics(id: id).draw(try png(image), columns: columns, rows: rows)
            case .iTerm2: ITerm2Image.draw(try png(image), columns: columns, rows: rows)
            case .sixel, .halfBlocks, .none: "\u{1B}7" + Sixel(background: sixelBackground).draw(image.bitmap) + "\u{1B}8"
            }
        }
    }

    private func png(_ image: DecodedImage) throws -> Data {
        // The file is read once, so that speed matters more than its size.
        var options = EncodeOptions()
        options.effort = 2
        return try encoder.encode(image, as: .png, options: options)
    }

    /// Returns the text that draws several images side by side, and leaves the cursor at the start of the row below all
    /// of them.
    ///
    /// - Parameter drawings: the drawings with the columns of their left edges, from 0.
    public static func row(_ drawings: [(drawing: Drawing, column: Int)]) -> String {
        let rows = drawings.map(\.drawing.rows).max() ?? 0
        guard rows > 0 else { return "" }
        func right(_ columns: Int) -> String { columns > 0 ? "\u{1B}[\(columns)C" : "" }
        if drawings.allSatisfy(\.drawing.isText) {
            // Text is written line by line, so that it can be higher than the terminal and can be kept in a file.
            return (0..<rows).map { row in
                drawings.filter { row < $0.drawing.lines.count }.enumerated().map { index, part in
                    (index + part.column > 0 ? "\r" : "") + right(part.column) + part.drawing.lines[row]
                }.joined() + "\n"
            }.joined()
        }
        var text = String(repeating: "\n", count: rows) + "\u{1B}[\(rows)A"
        for (drawing, column) in drawings {
            text += drawing.lines.map { "\r" + right(column) + $0 }.joined(separator: "\u{1B}[B")
            if drawing.lines.count > 1 { text += "\u{1B}[\(drawing.lines.count - 1)A" }
        }
        return text + "\r\u{1B}[\(rows)B"
    }

    /// Returns an image of the size of the box in one colour.
    func filledBox(of color: PixelColor) throws -> Bitmap {
        // A terminal may claim any size, so that the image is limited to that of a large screen.
        try .filled(PixelSize(width: min(targetSize.width, 4_096), height: min(targetSize.height, 4_096)), with: color)
    }

    /// The drawing of an image of a size in pixels, as text for as many columns and rows as it covers.
    private func drawing(
        of size: PixelSize, _ text: (_ columns: Int, _ rows: Int) throws -> String
    ) rethrows -> Drawing {
        let columns = max(1, (size.width + terminal.cell.width - 1) / terminal.cell.width)
        let rows = max(1, (size.height + terminal.cell.height - 1) / terminal.cell.height)
        return Drawing(columns: columns, rows: rows, lines: [try text(columns, rows)], isText: false)
    }

    private func fitted(_ bitmap: Bitmap) throws -> Bitmap {
        let size = ResizeGeometry(source: bitmap.size, box: targetSize, mode: .fit).output
        return size == bitmap.size ? bitmap : try bitmap.scaled(to: size)
    }
}
