internal import ImageCore
internal import ImageKernels

/// Several images on one sheet, in rows and columns, each centred in its cell.
struct ContactSheet: Hashable {
    var columns = 4
    /// The size of a cell in pixels.
    var cell = PixelSize(width: 200, height: 150)
    /// Pixels around the sheet and between cells.
    var gap = 12

    /// The size of the sheet for `count` images.
    func size(for count: Int) -> PixelSize {
        let rows = (count + columns - 1) / columns
        return PixelSize(width: columns * (cell.width + gap) + gap, height: max(1, rows) * (cell.height + gap) + gap)
    }

    /// The top left pixel of the cell at an index.
    func origin(of index: Int) -> (x: Int, y: Int) {
        (gap + index % columns * (cell.width + gap), gap + index / columns * (cell.height + gap))
    }

    /// Draws images that fit into the cell.
    func draw(_ images: [Bitmap]) throws -> Bitmap {
        var sheet = try ContactSheet.filled(size(for: images.count)) { _, _ in [24, 26, 32] }
        // Fine dark squares show where an image is transparent.
        let board = try ContactSheet.filled(cell) { x, y in (x / 10 + y / 10) % 2 == 0 ? [44, 47, 56] : [52, 55, 65] }
        for (index, image) in images.enumerated() {
            let (x, y) = origin(of: index)
            sheet = try sheet.overlaid(with: board, x: x, y: y)
            sheet = try sheet.overlaid(
                with: image, x: x + (cell.width - image.width) / 2, y: y + (cell.height - image.height) / 2)
        }
        return sheet
    }

    private static func filled(_ size: PixelSize, color: (_ x: Int, _ y: Int) -> [UInt8]) throws -> Bitmap {
        try unsafe Bitmap(size: size, format: .rgba8, alpha: .opaque) { pixels, bytesPerRow in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    for (channel, value) in (color(x, y) + [255]).enumerated() {
                        unsafe pixels[y * bytesPerRow + x * 4 + channel] = value
                    }
                }
            }
        }
    }
}
