public import ImageCore

/// Pictures as text: every character cell is an upper half block (U+2580) whose foreground is the pixel above and whose
/// background is the pixel below, in 24-bit colour (ISO 8613-6 `SGR 38;2` and `48;2`).
///
/// Works in every terminal with 24-bit colour, through tmux and ssh. A pure value: no terminal is touched here.
public struct HalfBlocks: Hashable, Sendable {
    /// The box to draw in, in character cells; each is one pixel wide and two high.
    public var columns: Int
    public var rows: Int
    /// What shows through where the picture is transparent: red, green, blue, 0 to 255. `nil` leaves the terminal's own
    /// background where a cell is wholly transparent, and takes black elsewhere.
    public var background: RGB?
    /// Which colours the terminal knows; 24-bit ones.
    public var colors = Colors.trueColor

    /// What the colours of a terminal can be.
    public enum Colors: String, Hashable, Sendable, CaseIterable {
        /// 24 bits.
        case trueColor
        /// The 256 of xterm: a cube of 6 × 6 × 6 and 24 greys.
        case palette
    }

    /// A colour, 0 to 255 each.
    public struct RGB: Hashable, Sendable {
        public var red: UInt8, green: UInt8, blue: UInt8

        public init(red: UInt8, green: UInt8, blue: UInt8) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }
    }

    public init(columns: Int, rows: Int, background: RGB? = nil, colors: Colors = .trueColor) {
        self.colors = colors
        self.columns = max(1, columns)
        self.rows = max(1, rows)
        self.background = background
    }

    /// The size in pixels to ask a loader for, so that nothing is left to scale here.
    public var targetSize: PixelSize { PixelSize(width: columns, height: rows * 2) }

    /// The picture, scaled to fit the box and never enlarged, one line of text per row of cells, without a final newline.
    /// Takes pictures of every format.
    public func draw(_ bitmap: Bitmap) -> String { lines(bitmap).joined(separator: "\n") }

    /// The same, line by line.
    public func lines(_ bitmap: Bitmap) -> [String] {
        let size = ResizeGeometry(source: bitmap.size, box: targetSize, mode: .fit).output
        let pixels = TerminalPixels(bitmap, size: size).pixels
        return stride(from: 0, to: size.height, by: 2).map { y in
            line(
                above: pixels[y * size.width..<(y + 1) * size.width],
                below: y + 1 < size.height ? pixels[(y + 1) * size.width..<(y + 2) * size.width] : nil)
        }
    }

    // MARK: Text

    private func line(above: ArraySlice<TerminalPixels.Pixel>, below: ArraySlice<TerminalPixels.Pixel>?) -> String {
        let nothing = TerminalPixels.Pixel(red: 0, green: 0, blue: 0, alpha: 0)
        var text = ""
        // The colours in force; they are written only where they change.
        var (foreground, back): (RGB?, RGB?) = (nil, nil)
        func set(_ old: inout RGB?, _ new: RGB?, code: Int) {
            guard new != old else { return }
            text += new.map { "\u{1B}[\(code);\(name($0))m" } ?? "\u{1B}[\(code + 1)m"
            old = new
        }
        for (index, top) in above.enumerated() {
            let bottom = below.map { $0[$0.startIndex + index] } ?? nothing
            switch (shown(top), shown(bottom)) {
            case (nil, nil):
                set(&back, nil, code: 48)
                text += " "
            case (let top?, let bottom):
                set(&foreground, top, code: 38)
                set(&back, bottom, code: 48)
                text += "▀"
            case (nil, let bottom?):
                set(&foreground, bottom, code: 38)
                set(&back, nil, code: 48)
                text += "▄"
            }
        }
        return foreground == nil && back == nil ? text : text + "\u{1B}[0m"
    }

    private func name(_ color: RGB) -> String {
        switch colors {
        case .trueColor: "2;\(color.red);\(color.green);\(color.blue)"
        case .palette: "5;\(color.paletteIndex)"
        }
    }

    /// The colour over the background, or `nil` where the terminal's own background shows.
    private func shown(_ pixel: TerminalPixels.Pixel) -> RGB? {
        if pixel.alpha == 0, background == nil { return nil }
        return pixel.over(background ?? RGB(red: 0, green: 0, blue: 0))
    }
}

extension HalfBlocks.RGB {
    /// The nearest of xterm's 256 colours that every terminal has alike: the cube from 16, with the levels 0, 95, 135, 175,
    /// 215 and 255, or the greys from 232, 8 and then 10 apart.
    var paletteIndex: Int {
        let levels = [0, 95, 135, 175, 215, 255]
        func nearest(_ value: Int) -> Int { levels.indices.min { abs(levels[$0] - value) < abs(levels[$1] - value) } ?? 0 }
        let samples = [Int(red), Int(green), Int(blue)]
        let cube = samples.map(nearest)
        let gray = max(0, min(23, (samples.reduce(0, +) / 3 - 3) / 10))
        func distance(_ other: [Int]) -> Int { zip(samples, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) } }
        let isGray = distance(Array(repeating: 8 + 10 * gray, count: 3)) < distance(cube.map { levels[$0] })
        return isGray ? 232 + gray : 16 + 36 * cube[0] + 6 * cube[1] + cube[2]
    }
}
