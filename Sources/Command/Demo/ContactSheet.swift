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
        var sheet = try ContactSheet.filled(size(for: images.count), [24, 26, 32])
        // Fine squares show where an image is transparent.
        let square = try ContactSheet.filled(PixelSize(width: 10, height: 1), [52, 55, 65])
        let board = try ContactSheet.filled(cell, [44, 47, 56]).overlaid(
            with: square, opacity: 1, threads: 1, cancellation: nil
        ) { y, lay in
            for x in stride(from: y / 10 % 2 == 0 ? 10 : 0, to: cell.width, by: 20) { lay(x, 0, 10) }
        }
        for (index, image) in images.enumerated() {
            let (x, y) = origin(of: index)
            sheet = try sheet.overlaid(with: board, x: x, y: y)
            sheet = try sheet.overlaid(
                with: image, x: x + (cell.width - image.width) / 2, y: y + (cell.height - image.height) / 2)
        }
        return sheet
    }

    private static func filled(_ size: PixelSize, _ rgb: [Double]) throws -> Bitmap {
        try Bitmap.filled(size, with: PixelColor(red: rgb[0] / 255, green: rgb[1] / 255, blue: rgb[2] / 255))
    }
}
