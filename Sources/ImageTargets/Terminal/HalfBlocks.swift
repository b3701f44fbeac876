public import ImageCore

/// Draws images as text. Each character cell is an upper half block (U+2580): its foreground is the upper pixel and its
/// background the lower pixel, in 24-bit colour (ISO 8613-6, `SGR 38;2` and `48;2`), or dithered in xterm's 256 or in
/// 16 colours.
///
/// The text works in every terminal with such colours, also through tmux and ssh. This type only makes text and writes
/// nothing.
public struct HalfBlocks: Hashable, Sendable {
    /// The width of the box to draw in, in character cells. A cell is one pixel wide and two pixels high.
    public var columns: Int
    /// The height of the box, in character cells.
    public var rows: Int
    /// The colour behind transparent pixels. With `nil`, fully transparent pixels show the terminal's background, and
    /// other pixels are drawn over black.
    public var background: RGB?
    /// The colours that the terminal supports; 24-bit colours by default.
    public var colors = Colors.trueColor

    /// The colours that a terminal can show.
    public enum Colors: String, Hashable, Sendable, CaseIterable {
        /// 24-bit colours.
        case trueColor
        /// xterm's 256 colours: a cube of 6 × 6 × 6 and 24 greys.
        case palette
        /// The 16 colours of text, as on the Linux console.
        case ansi
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
    /// - Returns: one line of text per row of cells, without a final newline; empty if there is not enough memory.
    public func draw(_ bitmap: Bitmap) -> String { lines(bitmap).joined(separator: "\n") }

    /// Draws an image as ``draw(_:)`` does, and returns its lines.
    public func lines(_ bitmap: Bitmap) -> [String] {
        let size = ResizeGeometry(source: bitmap.size, box: targetSize, mode: .fit).output
        guard let visible = try? bitmap.colors(scaledTo: size, over: background, visibleFrom: 1) else { return [] }
        let pixels = codes(visible, width: size.width)
        return stride(from: 0, to: size.height, by: 2).map { y in
            line(
                above: pixels[y * size.width..<(y + 1) * size.width],
                below: y + 1 < size.height ? pixels[(y + 1) * size.width..<(y + 2) * size.width] : nil)
        }
    }

    // MARK: Text

    private func line(above: ArraySlice<Int?>, below: ArraySlice<Int?>?) -> String {
        var text = ""
        // The current colours of the terminal. A colour is written only where it changes.
        var (foreground, back): (Int?, Int?) = (nil, nil)
        func set(_ old: inout Int?, _ new: Int?, base: Int) {
            guard new != old else { return }
            text += "\u{1B}[\(new.map { arguments($0, base: base) } ?? "\(base + 9)")m"
            old = new
        }
        for (index, top) in above.enumerated() {
            switch (top, below.flatMap { $0[$0.startIndex + index] }) {
            case (nil, nil):
                set(&back, nil, base: 40)
                text += " "
            case (let top?, let bottom):
                set(&foreground, top, base: 30)
                set(&back, bottom, base: 40)
                text += "▀"
            case (nil, let bottom?):
                set(&foreground, bottom, base: 30)
                set(&back, nil, base: 40)
                text += "▄"
            }
        }
        return foreground == nil && back == nil ? text : text + "\u{1B}[0m"
    }

    /// The colour of each pixel, as red, green and blue or as an index into the palette; `nil` where the terminal's
    /// background is visible.
    private func codes(_ pixels: [RGB?], width: Int) -> [Int?] {
        switch colors {
        case .trueColor: pixels.map { $0?.code(bits: 8) }
        case .palette: ColorPalette.xterm.indices(pixels, width: width)
        case .ansi: ColorPalette.ansi.indices(pixels, width: width)
        }
    }

    /// The arguments of `SGR` for a colour of the text (`base` 30) or of the background (40).
    private func arguments(_ code: Int, base: Int) -> String {
        switch colors {
        case .trueColor: "\(base + 8);2;\(code >> 16);\(code >> 8 & 255);\(code & 255)"
        case .palette: "\(base + 8);5;\(16 + code)"
        // The bright colours are not part of the standard; all terminals of today have them at 90 and 100.
        case .ansi: "\(code < 8 ? base + code : base + 52 + code)"
        }
    }
}
