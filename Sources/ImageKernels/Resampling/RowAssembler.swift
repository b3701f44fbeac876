internal import ImageCore

/// Makes a row of a result from rows of a source: first combines the source rows into a line of sums, then the pixels of that
/// line into the row. Each thread has its own instance, which allocates its memory when it is created.
@safe final class RowAssembler {
    private let plan: ResamplePlan
    private let format: PixelFormat
    private let path: KernelPath
    private let rows: UnsafeMutablePointer<UnsafeRawPointer?>
    /// The line: the columns that have weights, and zeros after them, for which the last columns of the result have weights of 0.
    private let line: UnsafeMutablePointer<Float>

    init(plan: ResamplePlan, format: PixelFormat, path: KernelPath) {
        (self.plan, self.format, self.path) = (plan, format, path)
        unsafe rows = .allocate(capacity: plan.vertical.mostTaps)
        unsafe rows.initialize(repeating: nil, count: plan.vertical.mostTaps)
        let samples = (plan.columns.count + plan.horizontal.stride) * format.channels
        unsafe line = .allocate(capacity: samples)
        unsafe line.initialize(repeating: 0, count: samples)
    }

    deinit {
        unsafe rows.deallocate()
        unsafe line.deallocate()
    }

    /// Writes row `y` of the result.
    ///
    /// - Parameter row: the offset of the first column that has weights in a row of the source.
    func assemble(_ y: Int, into target: UnsafeMutableRawPointer, row: (Int) -> UnsafeRawPointer) {
        if plan.isNearest {
            return unsafe copyNearest(row(Int(plan.vertical.first[y])), into: target)
        }
        let window = plan.vertical.window(y)
        for tap in 0..<window.count { unsafe rows[tap] = row(window.lowerBound + tap) }
        unsafe plan.vertical.weights.withUnsafeBufferPointer { weights in
            unsafe PixelKernels.combineRows(
                rows, weights.baseAddress.unsafelyUnwrapped + y * plan.vertical.stride, taps: window.count,
                plan.columns.count * format.channels, sampleSize: format.isWide ? 2 : 1, path, into: line)
        }
        let result = unsafe PixelSamples(target, isWide: format.isWide)
        unsafe PixelKernels.combineColumns(line, plan.horizontal, channels: format.channels, path, into: result)
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
