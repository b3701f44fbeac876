internal import CCalotypeKernels
internal import ImageCore

/// An image of 8 bits a sample made smaller by whole numbers, by a tent over two blocks of pixels: a box filter run twice,
/// so that what a box would let through of detail too fine for the result is let through squared.
///
/// Result pixel `i` lies on the border between blocks `i - 1` and `i` of the source: its tent is highest on the last pixel
/// of the former. There is one more of them than blocks, and beyond its edges the image goes on as its edge pixels, so
/// that the result has neighbours all around for the filter that comes next.
struct TentReduction: Sendable {
    /// The largest factor: with it sums down a column just fit 16 bits.
    static let most = 16

    /// Pixels that become one along a row.
    let x: Int
    /// Rows that become one.
    let y: Int

    /// As large as leaves `gap` times the result's pixels in each direction; `nil` where that is one.
    init?(_ geometry: ResizeGeometry, gap: Double) {
        func factor(_ length: Double, _ output: Int) -> Int {
            max(1, Int(min(Double(TentReduction.most), length / Double(output) / max(1, gap))))
        }
        (x, y) = (factor(geometry.width, geometry.output.width), factor(geometry.height, geometry.output.height))
        guard x > 1 || y > 1 else { return nil }
    }

    func size(of source: PixelSize) -> PixelSize {
        PixelSize(width: (source.width + x - 1) / x + 1, height: (source.height + y - 1) / y + 1)
    }

    /// The same part of the reduced image.
    func placed(_ geometry: ResizeGeometry) -> ResizeGeometry {
        var part = geometry
        (part.x, part.width) = ((geometry.x + 0.5) / Double(x) + 0.5, geometry.width / Double(x))
        (part.y, part.height) = ((geometry.y + 0.5) / Double(y) + 0.5, geometry.height / Double(y))
        return part
    }

    /// - Parameter source: 8 bits a sample; opaque or premultiplied.
    func reduced(_ source: Bitmap, threads: Int, cancellation: CancellationToken?) throws -> Bitmap {
        let path = KernelPath.current
        let size = size(of: source.size)
        return try unsafe Bitmap(size: size, format: source.format, alpha: source.alpha, colorSpace: source.colorSpace) {
            pixels, bytesPerRow in
            try unsafe source.withUnsafePixels { rows in
                let (from, to) = unsafe (rows.baseAddress.unsafelyUnwrapped, pixels.baseAddress.unsafelyUnwrapped)
                try Bands.run(rows: size.height, threads: threads) { band in
                    let worker = TentRows(self, source: source, path: path)
                    unsafe worker.begin(at: band.lowerBound, of: from)
                    for row in band {
                        if row & 7 == 0 { try cancellation?.check() }
                        unsafe worker.write(row, of: from, to: to + row * bytesPerRow)
                    }
                }
            }
        }
    }
}

/// Makes rows of a reduced image, from above to below. One per thread; takes its memory at the start.
@safe private final class TentRows {
    private let reduction: TentReduction
    private let source: Bitmap
    private let path: KernelPath
    private let rows: UnsafeMutablePointer<UnsafePointer<UInt8>?>
    /// What the rising half made of the block of rows before.
    private let rising: UnsafeMutablePointer<UInt16>
    /// A line of sums down the columns, its edge pixels repeated to whole blocks around.
    private let line: UnsafeMutablePointer<UInt16>
    /// Blocks in the line.
    private let blocks: Int
    private let scale: Float

    init(_ reduction: TentReduction, source: Bitmap, path: KernelPath) {
        (self.reduction, self.source, self.path) = (reduction, source, path)
        blocks = reduction.size(of: source.size).width + 1
        scale = 1 / Float(reduction.x * reduction.x * reduction.y * reduction.y)
        unsafe rows = .allocate(capacity: reduction.y)
        unsafe rows.initialize(repeating: nil, count: reduction.y)
        unsafe rising = .allocate(capacity: source.width * source.format.channels)
        unsafe rising.initialize(repeating: 0, count: source.width * source.format.channels)
        unsafe line = .allocate(capacity: blocks * reduction.x * source.format.channels)
    }

    deinit {
        unsafe rows.deallocate()
        unsafe rising.deallocate()
        unsafe line.deallocate()
    }

    func begin(at row: Int, of pixels: UnsafeRawPointer) { unsafe takeBlock(row - 1, of: pixels) }

    func write(_ row: Int, of pixels: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
        unsafe takeBlock(row, of: pixels)
        let channels = source.format.channels
        let (lead, used) = (reduction.x * channels, source.width * channels)
        for i in 0..<lead { unsafe line[i] = line[lead + i % channels] }
        for i in lead + used..<blocks * reduction.x * channels { unsafe line[i] = line[i - channels] }
        let bytes = unsafe target.assumingMemoryBound(to: UInt8.self)
        if path == .swift {
            unsafe SwiftResampleKernels.tentColumns(
                line, factor: reduction.x, channels: channels, scale: scale, count: blocks - 1, into: bytes)
        } else {
            unsafe clt_tent_columns_u8(path.level, line, reduction.x, channels, scale, blocks - 1, bytes)
        }
    }

    /// Sums a block of rows up, into the line and for the row after.
    private func takeBlock(_ block: Int, of pixels: UnsafeRawPointer) {
        for i in 0..<reduction.y {
            let row = max(0, min(source.height - 1, block * reduction.y + i))
            unsafe rows[i] = (pixels + row * source.bytesPerRow).assumingMemoryBound(to: UInt8.self)
        }
        let count = source.width * source.format.channels
        let out = unsafe line + reduction.x * source.format.channels
        if path == .swift {
            unsafe SwiftResampleKernels.tentRows(rows, factor: reduction.y, count: count, rising: rising, into: out)
        } else {
            unsafe clt_tent_rows_u8(path.level, rows, reduction.y, count, rising, out)
        }
    }
}
