internal import ImageCore

/// Draws images as sixels (DEC VT330/VT340 Programmer Reference Manual, chapter 14): bands of six rows, each with one
/// pass per colour, in at most 256 colours.
///
/// Median cut (Heckbert 1982) chooses the colours, and Floyd-Steinberg dithering (1976) spreads the errors. An image of
/// at most 256 colours keeps them, with components rounded to percent.
struct Sixel: Hashable, Sendable {
    /// The colour behind transparent pixels. With `nil`, pixels with an alpha below one half show the terminal's
    /// background, and other pixels are drawn over black.
    var background: HalfBlocks.RGB?

    /// Makes the drawing of images over a background; over the terminal's background by default.
    init(background: HalfBlocks.RGB? = nil) { self.background = background }

    /// Returns the text that draws an image at the cursor, one pixel per pixel of the terminal. The cursor moves below
    /// the image. The text is empty if there is not enough memory.
    func draw(_ bitmap: Bitmap) -> String {
        let (width, height) = (bitmap.width, bitmap.height)
        guard let colors = try? bitmap.colors(scaledTo: bitmap.size, over: background, visibleFrom: 128) else { return "" }
        let palette = ColorPalette(colors.compactMap { $0 }, limit: 256)
        let indices = palette.indices(colors, width: width)

        // P2 = 1 keeps the pixels that no pass sets. The raster attributes are the aspect ratio of a pixel (1:1) and
        // the size.
        var text = "\u{1B}P0;1;0q\"1;1;\(width);\(height)"
        for (index, color) in palette.colors.enumerated() {
            func percent(_ value: UInt8) -> Int { (Int(value) * 100 + 127) / 255 }
            text += "#\(index);2;\(percent(color.red));\(percent(color.green));\(percent(color.blue))"
        }
        for top in stride(from: 0, to: height, by: 6) {
            if top > 0 { text += "-" }
            text += band(indices, top: top, width: width, height: height)
        }
        return text + "\u{1B}\\"
    }

    private func band(_ indices: [Int?], top: Int, width: Int, height: Int) -> String {
        var columns: [Int: [UInt8]] = [:]
        for y in top..<min(top + 6, height) {
            for x in 0..<width {
                guard let index = indices[y * width + x] else { continue }
                columns[index, default: Array(repeating: 0, count: width)][x] |= 1 << UInt8(y - top)
            }
        }
        // `$` returns to the left edge for the next pass.
        return columns.sorted { $0.key < $1.key }.map { "#\($0.key)" + Sixel.runs($0.value) }.joined(separator: "$")
    }

    /// Encodes six-pixel columns as characters from `?`. A run of more than three is written as `!count character`, and
    /// empty columns at the end are left out.
    private static func runs(_ sixels: [UInt8]) -> String {
        let used = (sixels.lastIndex { $0 != 0 } ?? -1) + 1
        var text: [UInt8] = []
        var start = 0
        while start < used {
            var end = start + 1
            while end < used, sixels[end] == sixels[start] { end += 1 }
            let character = sixels[start] + 63
            if end - start > 3 {
                text += Array("!\(end - start)".utf8) + [character]
            } else {
                text += Array(repeating: character, count: end - start)
            }
            start = end
        }
        return String(decoding: text, as: UTF8.self)
    }
}
