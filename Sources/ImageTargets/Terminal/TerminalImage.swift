public import ImageCore

/// One picture in a box of a terminal's characters, in whatever way that terminal has. A pure value.
public struct TerminalImage: Sendable {
    public var terminal: Terminal
    /// The box, in characters.
    public var columns: Int
    public var rows: Int
    /// Names the picture where the protocol keeps pictures; the same again replaces it.
    public var id: UInt32
    /// Makes the file that iTerm2's protocol wants, a PNG; without it that protocol falls back to half blocks.
    public var encoder: (any Encoding)?

    public init(_ terminal: Terminal, columns: Int? = nil, rows: Int? = nil, id: UInt32 = 1, encoder: (any Encoding)? = nil) {
        self.terminal = terminal
        self.columns = max(1, min(10_000, columns ?? terminal.columns))
        // The last line is the prompt's.
        self.rows = max(1, min(10_000, rows ?? terminal.rows - 1))
        self.id = id
        self.encoder = encoder
    }

    /// The box in pixels: what to ask a loader for.
    public var targetSize: PixelSize {
        usesPixels ? pixelBox : PixelSize(width: columns, height: rows * 2)
    }

    private var pixelBox: PixelSize {
        PixelSize(width: columns * terminal.cell.width, height: rows * terminal.cell.height)
    }

    private var usesPixels: Bool {
        switch terminal.graphics {
        case .kitty, .sixel: true
        case .iTerm2: encoder != nil
        case .halfBlocks, .none: false
        }
    }

    /// A picture ready to be written.
    public struct Drawing: Hashable, Sendable {
        /// How many characters it covers.
        public var columns: Int
        public var rows: Int
        /// Lines of text, or one sequence that draws everything from the cursor and leaves it there.
        public var lines: [String]
        /// Whether the lines stand for one row of characters each.
        public var isText: Bool

        /// Draws at the cursor's row from a column on, and leaves the cursor at the start of the row below. Makes room
        /// first, since the terminal may have to scroll.
        public func placed(atColumn column: Int = 0) -> String { TerminalImage.row([(self, column)]) }
    }

    /// The picture, scaled down to the box and never enlarged; `nil` where the terminal shows none.
    public func draw(_ image: DecodedImage) throws -> Drawing? {
        guard terminal.graphics != .none else { return nil }
        guard usesPixels else {
            let blocks = HalfBlocks(columns: columns, rows: rows, background: terminal.background, colors: terminal.colors)
            let size = ResizeGeometry(source: image.size, box: blocks.targetSize, mode: .fit).output
            let lines = blocks.lines(image.bitmap)
            return Drawing(columns: size.width, rows: lines.count, lines: lines, isText: true)
        }
        let bitmap = try fitted(image.bitmap)
        let covered = cells(bitmap.size)
        let text: String
        switch terminal.graphics {
        case .kitty: text = KittyGraphics(id: id).draw(bitmap, columns: covered.columns, rows: covered.rows)
        case .iTerm2:
            let file = try encoder?.encode(image.with(bitmap), as: .png, options: EncodeOptions()) ?? Data()
            text = ITerm2Image.draw(file, columns: covered.columns, rows: covered.rows)
        case .sixel, .halfBlocks, .none:
            text = "\u{1B}7" + Sixel(background: terminal.background).draw(bitmap) + "\u{1B}8"
        }
        return Drawing(columns: covered.columns, rows: covered.rows, lines: [text], isText: false)
    }

    /// An animation, where the protocol runs one by itself frame by frame: kitty's. `nil` elsewhere.
    public func draw(_ frames: [(image: DecodedImage, duration: Double)]) throws -> Drawing? {
        guard terminal.graphics == .kitty, let first = frames.first else { return nil }
        let bitmaps = try frames.map { (bitmap: try fitted($0.image.bitmap), duration: $0.duration) }
        let covered = cells(try fitted(first.image.bitmap).size)
        let text = KittyGraphics(id: id).draw(bitmaps, columns: covered.columns, rows: covered.rows)
        return Drawing(columns: covered.columns, rows: covered.rows, lines: [text], isText: false)
    }

    /// A whole file, where the terminal decodes it by itself: iTerm2's, which also runs animated GIF. `nil` elsewhere.
    ///
    /// - Parameter size: of the picture, in pixels; it is shown no larger than that, and no larger than the box.
    public func draw(file: Data, size: PixelSize) -> Drawing? {
        guard terminal.graphics == .iTerm2, size.width > 0, size.height > 0 else { return nil }
        let covered = cells(ResizeGeometry(source: size, box: pixelBox, mode: .fit).output)
        let text = ITerm2Image.draw(file, columns: covered.columns, rows: covered.rows)
        return Drawing(columns: covered.columns, rows: covered.rows, lines: [text], isText: false)
    }

    /// Drawings side by side, each from its column on, and the cursor at the start of the row below all.
    public static func row(_ drawings: [(drawing: Drawing, column: Int)]) -> String {
        let rows = drawings.map(\.drawing.rows).max() ?? 0
        guard rows > 0 else { return "" }
        func right(_ columns: Int) -> String { columns > 0 ? "\u{1B}[\(columns)C" : "" }
        if drawings.allSatisfy(\.drawing.isText) {
            // Line by line, so that they may be higher than the terminal; plain lines can be kept in a file.
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

    /// The whole box in one colour; components straight, 0 to 1.
    func box(of color: [Double]) throws -> Bitmap {
        let pixel = color.map { UInt8(max(0, min(1, $0)) * 255 + 0.5) }
        // Of a screen's size at most, whatever the terminal claims to be.
        let size = PixelSize(width: min(targetSize.width, 4_096), height: min(targetSize.height, 4_096))
        return try unsafe Bitmap(size: size, format: .rgba8, alpha: .straight) { pixels, _ in
            for index in pixels.indices { unsafe pixels[index] = pixel[index % 4] }
        }
    }

    private func cells(_ size: PixelSize) -> (columns: Int, rows: Int) {
        (
            max(1, (size.width + terminal.cell.width - 1) / terminal.cell.width),
            max(1, (size.height + terminal.cell.height - 1) / terminal.cell.height)
        )
    }

    private func fitted(_ bitmap: Bitmap) throws -> Bitmap {
        let size = ResizeGeometry(source: bitmap.size, box: targetSize, mode: .fit).output
        guard size != bitmap.size else { return bitmap }
        let pixels = TerminalPixels(bitmap, size: size).pixels
        let alpha: AlphaMode = bitmap.alpha == .opaque ? .opaque : .premultiplied
        return try unsafe Bitmap(size: size, format: .rgba8, alpha: alpha) { bytes, row in
            for (index, pixel) in pixels.enumerated() {
                let at = index / size.width * row + index % size.width * 4
                for (offset, value) in [pixel.red, pixel.green, pixel.blue, pixel.alpha].enumerated() {
                    unsafe bytes[at + offset] = UInt8(min(255, value))
                }
            }
        }
    }
}
