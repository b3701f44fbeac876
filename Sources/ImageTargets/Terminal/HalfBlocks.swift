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

    /// A colour, 0 to 255 each.
    public struct RGB: Hashable, Sendable {
        public var red: UInt8, green: UInt8, blue: UInt8

        public init(red: UInt8, green: UInt8, blue: UInt8) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }
    }

    public init(columns: Int, rows: Int, background: RGB? = nil) {
        self.columns = max(1, columns)
        self.rows = max(1, rows)
        self.background = background
    }

    /// The size in pixels to ask a loader for, so that nothing is left to scale here.
    public var targetSize: PixelSize { PixelSize(width: columns, height: rows * 2) }

    /// The picture, scaled to fit the box and never enlarged, one line of text per row of cells, without a final newline.
    /// Takes 8-bit pictures of any alpha but `straight`; others are drawn as nothing.
    public func draw(_ bitmap: Bitmap) -> String {
        let size = ResizeGeometry(source: bitmap.size, box: targetSize, mode: .fit).output
        let pixels = average(bitmap, to: size)
        guard !pixels.isEmpty else { return "" }
        return stride(from: 0, to: size.height, by: 2).map { y in
            line(
                above: pixels[y * size.width..<(y + 1) * size.width],
                below: y + 1 < size.height ? pixels[(y + 1) * size.width..<(y + 2) * size.width] : nil)
        }.joined(separator: "\n")
    }

    // MARK: Text

    private func line(above: ArraySlice<Pixel>, below: ArraySlice<Pixel>?) -> String {
        let nothing = Pixel(red: 0, green: 0, blue: 0, alpha: 0)
        var text = ""
        // The colours in force; they are written only where they change.
        var (foreground, back): (RGB?, RGB?) = (nil, nil)
        func set(_ old: inout RGB?, _ new: RGB?, code: Int) {
            guard new != old else { return }
            text += new.map { "\u{1B}[\(code);2;\($0.red);\($0.green);\($0.blue)m" } ?? "\u{1B}[\(code + 1)m"
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

    /// The colour over the background, or `nil` where the terminal's own background shows.
    private func shown(_ pixel: Pixel) -> RGB? {
        if pixel.alpha == 0, background == nil { return nil }
        let under = background ?? RGB(red: 0, green: 0, blue: 0)
        func over(_ value: Int, _ back: UInt8) -> UInt8 { UInt8(min(255, value + (Int(back) * (255 - pixel.alpha) + 127) / 255)) }
        return RGB(red: over(pixel.red, under.red), green: over(pixel.green, under.green), blue: over(pixel.blue, under.blue))
    }

    // MARK: Pixels

    /// Premultiplied, 0 to 255.
    private struct Pixel {
        var red: Int, green: Int, blue: Int, alpha: Int
    }

    /// The mean colour of each output pixel's part of the source.
    private func average(_ bitmap: Bitmap, to size: PixelSize) -> [Pixel] {
        guard bitmap.format == .rgba8 || bitmap.format == .gray8, bitmap.alpha != .straight else { return [] }
        let channels = bitmap.format.channels
        return unsafe bitmap.withUnsafePixels { bytes in
            var result: [Pixel] = []
            result.reserveCapacity(size.width * size.height)
            for y in 0..<size.height {
                let ys =
                    y * bitmap.height
                    / size.height..<max(y * bitmap.height / size.height + 1, (y + 1) * bitmap.height / size.height)
                for x in 0..<size.width {
                    let xs =
                        x * bitmap.width
                        / size.width..<max(x * bitmap.width / size.width + 1, (x + 1) * bitmap.width / size.width)
                    var sums = SIMD4<Int>(repeating: 0)
                    for sy in ys {
                        for sx in xs {
                            let at = sy * bitmap.bytesPerRow + sx * channels
                            sums &+=
                                channels == 1
                                ? unsafe SIMD4(Int(bytes[at]), Int(bytes[at]), Int(bytes[at]), 255)
                                : unsafe SIMD4(Int(bytes[at]), Int(bytes[at + 1]), Int(bytes[at + 2]), Int(bytes[at + 3]))
                        }
                    }
                    let count = xs.count * ys.count
                    let mean = (sums &+ (count / 2)) / SIMD4(repeating: count)
                    result.append(Pixel(red: mean.x, green: mean.y, blue: mean.z, alpha: mean.w))
                }
            }
            return result
        }
    }
}
