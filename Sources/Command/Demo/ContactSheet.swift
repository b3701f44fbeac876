internal import ImageCore

/// Several images on one, in rows and columns, each centred in a cell of its own.
struct ContactSheet: Hashable {
    var columns = 4
    /// Pixels: the box that an image has to fit.
    var cell = PixelSize(width: 200, height: 150)
    /// Pixels: around the sheet and between cells.
    var gap = 12

    /// The whole sheet's size for `count` images.
    func size(for count: Int) -> PixelSize {
        let rows = (count + columns - 1) / columns
        return PixelSize(width: columns * (cell.width + gap) + gap, height: max(1, rows) * (cell.height + gap) + gap)
    }

    /// Where the cell of that number begins.
    func origin(of index: Int) -> (x: Int, y: Int) {
        (gap + index % columns * (cell.width + gap), gap + index / columns * (cell.height + gap))
    }

    /// Draws 8-bit images that fit the cell; parts beyond it are left out.
    func draw(_ pictures: [Bitmap]) throws -> Bitmap {
        let size = size(for: pictures.count)
        return try unsafe Bitmap(size: size, format: .rgba8, alpha: .opaque) { pixels, bytesPerRow in
            func set(_ x: Int, _ y: Int, _ color: [UInt8]) {
                for channel in 0..<3 { unsafe pixels[y * bytesPerRow + x * 4 + channel] = color[channel] }
                unsafe pixels[y * bytesPerRow + x * 4 + 3] = 255
            }
            for y in 0..<size.height {
                for x in 0..<size.width { set(x, y, ContactSheet.paper) }
            }
            for (index, picture) in pictures.enumerated() {
                let (left, top) = origin(of: index)
                for y in 0..<cell.height {
                    for x in 0..<cell.width { set(left + x, top + y, ContactSheet.board(x, y)) }
                }
                let (width, height) = (min(picture.width, cell.width), min(picture.height, cell.height))
                let (x0, y0) = (left + (cell.width - width) / 2, top + (cell.height - height) / 2)
                for y in 0..<height {
                    for x in 0..<width {
                        let under = ContactSheet.board(x0 - left + x, y0 - top + y)
                        set(x0 + x, y0 + y, ContactSheet.over(under, picture, x, y))
                    }
                }
            }
        }
    }

    private static let paper: [UInt8] = [24, 26, 32]

    /// The ground of a cell: fine dark squares, that show where an image is transparent.
    private static func board(_ x: Int, _ y: Int) -> [UInt8] { (x / 10 + y / 10) % 2 == 0 ? [44, 47, 56] : [52, 55, 65] }

    /// A premultiplied or opaque pixel over a ground.
    private static func over(_ ground: [UInt8], _ picture: Bitmap, _ x: Int, _ y: Int) -> [UInt8] {
        unsafe picture.withUnsafePixels { pixels in
            let at = y * picture.bytesPerRow + x * picture.format.bytesPerPixel
            switch picture.format {
            case .gray8: return unsafe [pixels[at], pixels[at], pixels[at]]
            case .rgba8:
                let left = unsafe 255 - Int(pixels[at + 3])
                return (0..<3).map { unsafe UInt8(min(255, Int(pixels[at + $0]) + (Int(ground[$0]) * left + 127) / 255)) }
            case .gray16, .rgba16: return ground
            }
        }
    }
}
