internal import CCalotypeKernels
internal import ImageCore

/// Makes rows of a result from rows of a source: first combines the source rows into a line of sums, then the pixels of
/// that line into the row. Each thread has its own instance, which allocates its memory when it is created.
@safe final class RowAssembler {
    private let plan: ResamplePlan
    private let format: PixelFormat
    private let path: KernelPath
    private let rows: UnsafeMutablePointer<UnsafeRawPointer?>
    /// The weights of ``rows`` for each line.
    private let weights: UnsafeMutablePointer<Float>
    /// Two lines: the columns that have weights, and zeros after them, for which the last columns of the result have
    /// weights of 0.
    private let lines: UnsafeMutablePointer<Float>
    private let lineLength: Int

    init(plan: ResamplePlan, format: PixelFormat, path: KernelPath) {
        (self.plan, self.format, self.path) = (plan, format, path)
        unsafe rows = .allocate(capacity: plan.rows.count)
        unsafe rows.initialize(repeating: nil, count: plan.rows.count)
        unsafe weights = .allocate(capacity: 2 * plan.rows.count)
        lineLength = (plan.columns.count + plan.horizontal.stride) * format.channels
        unsafe lines = .allocate(capacity: 2 * lineLength)
        unsafe lines.initialize(repeating: 0, count: 2 * lineLength)
    }

    deinit {
        unsafe rows.deallocate()
        unsafe weights.deallocate()
        unsafe lines.deallocate()
    }

    /// Writes one or two rows of the result. Two rows take less time together, because most of their source rows are
    /// the same.
    ///
    /// - Parameters:
    ///   - target: the first row of the result.
    ///   - row: the offset of the first column that has weights in a row of the source.
    func assemble(
        _ result: Range<Int>, into target: UnsafeMutableRawPointer, bytesPerRow: Int, row: (Int) -> UnsafeRawPointer
    ) {
        guard !plan.isNearest else {
            for y in result { unsafe copyNearest(row(Int(plan.vertical.first[y])), into: target + y * bytesPerRow) }
            return
        }
        let window = plan.vertical.window(result)
        for tap in 0..<window.count { unsafe rows[tap] = row(window.lowerBound + tap) }
        unsafe weights.initialize(repeating: 0, count: window.count * result.count)
        for y in result {
            let own = plan.vertical.window(y)
            let start = (y - result.lowerBound) * window.count + own.lowerBound - window.lowerBound
            for tap in 0..<own.count {
                unsafe weights[start + tap] = plan.vertical.weights[y * plan.vertical.stride + tap]
            }
        }
        unsafe clt_combine_rows(
            path.level, format.isWide ? 2 : 1, rows, weights, window.count, plan.columns.count * format.channels, lines,
            result.count == 2 ? lines + lineLength : nil)
        for y in result {
            unsafe PixelKernels.combineColumns(
                lines + (y - result.lowerBound) * lineLength, plan.horizontal, channels: format.channels, path,
                into: PixelSamples(target + y * bytesPerRow, isWide: format.isWide))
        }
    }

    private func copyNearest(_ row: UnsafeRawPointer, into target: UnsafeMutableRawPointer) {
        switch format.bytesPerPixel {
        case 1: unsafe copyNearest(UInt8.self, row, target)
        case 2: unsafe copyNearest(UInt16.self, row, target)
        case 4: unsafe copyNearest(UInt32.self, row, target)
        default: unsafe copyNearest(UInt64.self, row, target)
        }
    }

    private func copyNearest<Pixel: BitwiseCopyable>(_: Pixel.Type, _ row: UnsafeRawPointer, _ target: UnsafeMutableRawPointer) {
        let size = MemoryLayout<Pixel>.size
        for x in 0..<plan.output.width {
            unsafe target.storeBytes(
                of: row.load(fromByteOffset: Int(plan.horizontal.first[x]) * size, as: Pixel.self), toByteOffset: x * size,
                as: Pixel.self)
        }
    }
}
