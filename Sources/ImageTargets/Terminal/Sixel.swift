public import ImageCore

/// Pictures as sixels (DEC VT330/VT340 Programmer Reference Manual, chapter 14): bands of six rows, one pass over the band
/// for each of at most 256 colours.
///
/// Colours are chosen by median cut (Heckbert 1982) and errors spread by Floyd and Steinberg (1976); a picture of at most
/// 256 colours comes through as it is, but for the rounding of components to hundredths. A pure value.
public struct Sixel: Hashable, Sendable {
    /// What transparent pixels are laid over. `nil` leaves the terminal's own where alpha is under a half.
    public var background: HalfBlocks.RGB?

    public init(background: HalfBlocks.RGB? = nil) { self.background = background }

    /// The picture pixel by pixel, from the cursor. The cursor goes below it.
    public func draw(_ bitmap: Bitmap) -> String {
        let (width, height) = (bitmap.width, bitmap.height)
        let source = TerminalPixels(bitmap, size: bitmap.size).pixels
        let black = HalfBlocks.RGB(red: 0, green: 0, blue: 0)
        let colors = source.map { pixel in
            background == nil && pixel.alpha < 128 ? nil : pixel.over(background ?? black)
        }
        let palette = ColorPalette(colors.compactMap { $0 }, limit: 256)
        let indices = palette.indices(colors, width: width)

        // P2 = 1: pixels that no pass sets stay as they are. Then the raster attributes: square pixels, and the size.
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
        // Each pass goes back to the left edge by `$`.
        return columns.sorted { $0.key < $1.key }.map { "#\($0.key)" + Sixel.runs($0.value) }.joined(separator: "$")
    }

    /// Sixels are characters from `?`; more than three alike become `!count character`. Empty ones at the end are left out.
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
