internal import CCalotypeKernels
public import ImageCore

extension Bitmap {
    /// The image made smaller by whole numbers: each pixel is the mean of a block, the last of what is left of one. Reads
    /// every pixel once, so it is the fastest way to make a large image much smaller.
    ///
    /// - Parameters:
    ///   - x: pixels that become one along a row; from 1.
    ///   - y: rows that become one; from 1.
    ///   - threads: how many to work with; 1.
    ///   - cancellation: looked at between blocks of rows.
    /// - Throws: ``ImageError`` (`invalidRequest`) for a factor below 1; (`tooLarge`) where there is no memory;
    ///   `CancellationError`.
    public func reduced(x: Int, y: Int, threads: Int = 1, cancellation: CancellationToken? = nil) throws -> Bitmap {
        guard x >= 1, y >= 1 else {
            throw ImageError(.invalidRequest, message: "An image cannot be reduced by \(x)x\(y).")
        }
        let source = try premultiplied()
        if x == 1, y == 1 { return source }
        let (x, y) = (min(x, width), min(y, height))
        let path = KernelPath.current
        // The fast loop adds bytes up in 16 bits.
        let isFast = fullLevel == 255 && y <= 257 && x <= 65536 && path != .swift
        let plan = ResamplePlan(
            horizontal: ResampleWeights(source: isFast ? 1 : width, block: x),
            vertical: ResampleWeights(source: height, block: y),
            source: size)
        let reduced = PixelSize(width: (width + x - 1) / x, height: plan.output.height)
        return try unsafe Bitmap(size: reduced, format: format, alpha: source.alpha, colorSpace: colorSpace) {
            pixels, bytesPerRow in
            try unsafe source.withUnsafePixels { rows in
                let (from, to) = unsafe (rows.baseAddress.unsafelyUnwrapped, pixels.baseAddress.unsafelyUnwrapped)
                try Bands.run(rows: reduced.height, threads: threads) { band in
                    let averager = isFast ? BlockAverager(source: source, block: x, height: y, path: path) : nil
                    let assembler = isFast ? nil : RowAssembler(plan: plan, format: format, path: path)
                    for line in band {
                        if line & 7 == 0 { try cancellation?.check() }
                        let target = unsafe to + line * bytesPerRow
                        unsafe averager?.write(rows: plan.vertical.window(line), of: from, to: target)
                        unsafe assembler?.assemble(line, into: target) { unsafe from + $0 * source.bytesPerRow }
                    }
                }
            }
        }
    }
}

/// Averages blocks of 8-bit pixels. One per thread; takes its memory at the start.
@safe private final class BlockAverager {
    private let source: Bitmap
    private let block: Int
    private let path: KernelPath
    private let rows: UnsafeMutablePointer<UnsafePointer<UInt8>?>
    private let sums: UnsafeMutablePointer<UInt16>

    init(source: Bitmap, block: Int, height: Int, path: KernelPath) {
        (self.source, self.block, self.path) = (source, block, path)
        unsafe rows = .allocate(capacity: height)
        unsafe rows.initialize(repeating: nil, count: height)
        unsafe sums = .allocate(capacity: source.width * source.format.channels)
    }

    deinit {
        unsafe rows.deallocate()
        unsafe sums.deallocate()
    }

    func write(rows range: Range<Int>, of pixels: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
        for i in 0..<range.count {
            unsafe rows[i] = (pixels + (range.lowerBound + i) * source.bytesPerRow).assumingMemoryBound(to: UInt8.self)
        }
        unsafe clt_average_blocks_u8(
            path.level, rows, range.count, source.width, source.format.channels, block, sums,
            target.assumingMemoryBound(to: UInt8.self))
    }
}
