public import ImageCore

extension Bitmap {
    /// The picture turned and mirrored so that it stands upright, given how it is stored. Exact; ``Orientation/up``
    /// returns the bitmap itself.
    ///
    /// - Throws: ``ImageError`` (`tooLarge`) where there is no memory.
    public func oriented(_ orientation: Orientation) throws -> Bitmap {
        if orientation == .up { return self }
        return try unsafe Bitmap(size: orientation.applied(to: size), format: format, alpha: alpha, colorSpace: colorSpace) {
            pixels, bytesPerRow in
            unsafe withUnsafePixels { source in
                let turn = unsafe Turn(orientation, source: source, size: size, bytesPerRow: self.bytesPerRow, format: format)
                switch format.bytesPerPixel {
                case 1: unsafe turn.copy(UInt8.self, to: pixels, bytesPerRow)
                case 2: unsafe turn.copy(UInt16.self, to: pixels, bytesPerRow)
                case 4: unsafe turn.copy(UInt32.self, to: pixels, bytesPerRow)
                default: unsafe turn.copy(UInt64.self, to: pixels, bytesPerRow)
                }
            }
        }
    }
}

/// Where the pixels of an upright picture lie in the stored one: an origin and one step in bytes per axis.
@safe private struct Turn {
    let origin: UnsafeRawPointer
    let stepX: Int
    let stepY: Int
    let size: PixelSize

    init(_ orientation: Orientation, source: UnsafeRawBufferPointer, size: PixelSize, bytesPerRow: Int, format: PixelFormat) {
        let column = format.bytesPerPixel
        let lastColumn = (size.width - 1) * column
        let lastRow = (size.height - 1) * bytesPerRow
        let start: Int
        (start, stepX, stepY) =
            switch orientation {
            case .up: (0, column, bytesPerRow)
            case .upMirrored: (lastColumn, -column, bytesPerRow)
            case .down: (lastColumn + lastRow, -column, -bytesPerRow)
            case .downMirrored: (lastRow, column, -bytesPerRow)
            case .leftMirrored: (0, bytesPerRow, column)
            case .right: (lastRow, -bytesPerRow, column)
            case .rightMirrored: (lastColumn + lastRow, -bytesPerRow, -column)
            case .left: (lastColumn, bytesPerRow, -column)
            }
        unsafe origin = source.baseAddress.unsafelyUnwrapped + start
        self.size = orientation.applied(to: size)
    }

    /// Copies in square blocks: a quarter turn reads down columns, and a block's rows stay in the first cache.
    func copy<Pixel: BitwiseCopyable>(_: Pixel.Type, to pixels: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) {
        let block = stepX.magnitude == MemoryLayout<Pixel>.size ? max(size.width, 32) : 32
        let target = unsafe pixels.baseAddress.unsafelyUnwrapped
        for top in stride(from: 0, to: size.height, by: 32) {
            for left in stride(from: 0, to: size.width, by: block) {
                for y in top..<min(top + 32, size.height) {
                    let to = unsafe (target + y * bytesPerRow).assumingMemoryBound(to: Pixel.self)
                    var from = unsafe origin + (y * stepY + left * stepX)
                    for x in left..<min(left + block, size.width) {
                        unsafe to[x] = from.load(as: Pixel.self)
                        unsafe from += stepX
                    }
                }
            }
        }
    }
}
