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
        var sheet = try Bitmap.filled(size(for: images.count), with: PixelColor(red: 0.09, green: 0.1, blue: 0.13))
        let board = try Bitmap.filled(cell, with: PixelColor(red: 0.17, green: 0.18, blue: 0.22))
        for (index, image) in images.enumerated() {
            let (x, y) = origin(of: index)
            sheet = try sheet.overlaid(with: board, x: x, y: y)
            sheet = try sheet.overlaid(
                with: image, x: x + (cell.width - image.width) / 2, y: y + (cell.height - image.height) / 2)
        }
        return sheet
    }
}
