internal import ImageCore

/// The position of the pixels of an upright image in the stored one: an origin and a step in bytes for each axis.
@safe struct OrientedPixels {
    private let origin: UnsafeRawPointer
    private let stepX: Int
    private let stepY: Int
    private let format: PixelFormat
    /// The size of the upright image.
    let size: PixelSize

    /// - Parameters:
    ///   - source: the stored image's first pixel.
    ///   - size: the stored image's size.
    init(_ orientation: Orientation, _ source: UnsafeRawPointer, size: PixelSize, bytesPerRow: Int, format: PixelFormat) {
        let transform = OrientationTransform(orientation)
        let column = transform.mirrorsX ? -format.bytesPerPixel : format.bytesPerPixel
        let row = transform.mirrorsY ? -bytesPerRow : bytesPerRow
        let firstColumn = transform.mirrorsX ? (size.width - 1) * format.bytesPerPixel : 0
        let firstRow = transform.mirrorsY ? (size.height - 1) * bytesPerRow : 0
        unsafe origin = source + (firstRow + firstColumn)
        (stepX, stepY) = transform.swaps ? (row, column) : (column, row)
        self.format = format
        self.size = orientation.applied(to: size)
    }

    /// Copies some rows of the upright image; `target` is where its first row begins.
    func copy(_ rows: Range<Int>, to target: UnsafeMutableRawPointer, _ bytesPerRow: Int) {
        if stepX == format.bytesPerPixel {
            for y in rows {
                unsafe (target + y * bytesPerRow).copyMemory(
                    from: origin + y * stepY, byteCount: size.width * format.bytesPerPixel)
            }
            return
        }
        switch format.bytesPerPixel {
        case 1: unsafe copy(UInt8.self, rows, target, bytesPerRow)
        case 2: unsafe copy(UInt16.self, rows, target, bytesPerRow)
        case 4: unsafe copy(UInt32.self, rows, target, bytesPerRow)
        default: unsafe copy(UInt64.self, rows, target, bytesPerRow)
        }
    }

    /// Copies in square blocks: a quarter turn reads columns, and the rows of a block stay in the first-level cache.
    private func copy<Pixel: BitwiseCopyable>(
        _: Pixel.Type, _ rows: Range<Int>, _ target: UnsafeMutableRawPointer, _ bytesPerRow: Int
    ) {
        let block = stepX.magnitude == MemoryLayout<Pixel>.size ? max(size.width, 32) : 32
        for top in stride(from: rows.lowerBound, to: rows.upperBound, by: 32) {
            for left in stride(from: 0, to: size.width, by: block) {
                for y in top..<min(top + 32, rows.upperBound) {
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

extension Bitmap {
    /// Returns a part of the image, turned. For the whole image without a turn, returns the bitmap itself.
    func turned(
        _ part: PixelRectangle, _ orientation: Orientation, threads: Int, cancellation: CancellationToken?
    ) throws -> Bitmap {
        if orientation == .up, part == PixelRectangle(size) { return self }
        let output = orientation.applied(to: part.size)
        return try unsafe makingRows(size: output, threads: threads, block: 32, cancellation: cancellation) {
            rows, from, to, bytesPerRow in
            let start = part.y * self.bytesPerRow + part.x * format.bytesPerPixel
            let turn = unsafe OrientedPixels(
                orientation, from + start, size: part.size, bytesPerRow: self.bytesPerRow, format: format)
            while let some = rows.take(32) { unsafe turn.copy(some, to: to, bytesPerRow) }
        }
    }
}
