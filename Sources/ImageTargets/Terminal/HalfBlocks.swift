public import ImageCore

/// Draws images as text. Each character cell is an upper half block (U+2580): its foreground is the upper pixel and its background the
/// lower pixel, in 24-bit colour (ISO 8613-6, `SGR 38;2` and `48;2`) or in xterm's 256 colours.
///
/// The text works in every terminal with such colours, also through tmux and ssh. This type only makes text and writes nothing.
public struct HalfBlocks: Hashable, Sendable {
    /// The width of the box to draw in, in character cells. A cell is one pixel wide and two pixels high.
    public var columns: Int
    /// The height of the box, in character cells.
    public var rows: Int
    /// The colour behind transparent pixels. With `nil`, fully transparent pixels show the terminal's background, and other pixels are
    /// drawn over black.
    public var background: RGB?
    /// The colours that the terminal supports; 24-bit colours by default.
    public var colors = Colors.trueColor

    /// The colours that a terminal can show.
    public enum Colors: String, Hashable, Sendable, CaseIterable {
        /// 24-bit colours.
        case trueColor
        /// xterm's 256 colours: a cube of 6 × 6 × 6 and 24 greys.
        case palette
    }

    /// An opaque colour.
    public struct RGB: Hashable, Sendable {
        /// A component, 0 to 255.
        public var red: UInt8, green: UInt8, blue: UInt8

        /// Makes a colour from its components, 0 to 255.
        public init(red: UInt8, green: UInt8, blue: UInt8) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }
    }

    /// Makes the drawing of a box.
    ///
    /// - Parameters:
    ///   - columns: the width of the box in character cells, at least 1.
    ///   - rows: the height of the box in character cells, at least 1.
    ///   - background: the colour behind transparent pixels; `nil`, the default, for the terminal's background.
    ///   - colors: the colours that the terminal supports; 24-bit colours by default.
    public init(columns: Int, rows: Int, background: RGB? = nil, colors: Colors = .trueColor) {
        self.colors = colors
        self.columns = max(1, columns)
        self.rows = max(1, rows)
        self.background = background
    }

    /// The size of the box in pixels. An image that is loaded with this target size needs no further scaling.
    public var targetSize: PixelSize { PixelSize(width: columns, height: rows * 2) }

    /// Draws an image of any pixel format, scaled down to fit the box and never enlarged.
    ///
    /// - Returns: one line of text per row of cells, without a final newline.
    public func draw(_ bitmap: Bitmap) -> String { lines(bitmap).joined(separator: "\n") }

    /// Draws an image as ``draw(_:)`` does, and returns its lines.
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
        // The current colours of the terminal. A colour is written only where it changes.
        var (foreground, back): (RGB?, RGB?) = (nil, nil)
        func set(_ old: inout RGB?, _ new: RGB?, code: Int) {
            guard new != old else { return }
            text += new.map { "\u{1B}[\(code);\(arguments($0))m" } ?? "\u{1B}[\(code + 1)m"
            old = new
        }
        for (index, top) in above.enumerated() {
            let bottom = below.map { $0[$0.startIndex + index] } ?? nothing
            switch (visibleColor(top), visibleColor(bottom)) {
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

    /// The arguments of `SGR 38` and `48` for a colour.
    private func arguments(_ color: RGB) -> String {
        switch colors {
        case .trueColor: "2;\(color.red);\(color.green);\(color.blue)"
        case .palette: "5;\(color.paletteIndex)"
        }
    }

    /// The colour over the background; `nil` where the terminal's background is visible.
    private func visibleColor(_ pixel: TerminalPixels.Pixel) -> RGB? {
        if pixel.alpha == 0, background == nil { return nil }
        return pixel.over(background ?? RGB(red: 0, green: 0, blue: 0))
    }
}

extension HalfBlocks.RGB {
    /// The nearest of the 240 colours of xterm's palette that are the same in every terminal: the cube, from index 16, with the levels
    /// 0, 95, 135, 175, 215 and 255, and the greys, from index 232, with the levels 8, 18 and so on up to 238.
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
