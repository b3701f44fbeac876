internal import CCalotypeKernels
internal import ImageCore

/// Makes rows of a result out of rows of a source: first the rows that take part are combined to one line of sums, then
/// the line's pixels to the row. One per thread; all memory is taken at the start.
@safe final class RowAssembler {
    private let plan: ResamplePlan
    private let format: PixelFormat
    private let path: KernelPath
    private let rows: UnsafeMutablePointer<UnsafePointer<UInt8>?>
    /// As long as the columns that take part and the pixels after them that the kernels may read.
    private let line: UnsafeMutablePointer<Float>

    init(plan: ResamplePlan, format: PixelFormat, path: KernelPath) {
        (self.plan, self.format, self.path) = (plan, format, path)
        unsafe rows = .allocate(capacity: max(1, plan.vertical.mostTaps))
        unsafe rows.initialize(repeating: nil, count: max(1, plan.vertical.mostTaps))
        let samples = RowAssembler.lineSamples(plan, format)
        unsafe line = .allocate(capacity: samples)
        unsafe line.initialize(repeating: 0, count: samples)
    }

    deinit {
        unsafe rows.deallocate()
        unsafe line.deallocate()
    }

    /// What an assembler takes, in bytes.
    static func byteCount(_ plan: ResamplePlan, _ format: PixelFormat) -> Int { lineSamples(plan, format) * 4 }

    private static func lineSamples(_ plan: ResamplePlan, _ format: PixelFormat) -> Int {
        (plan.columns.count + 4) * format.channels
    }

    /// Writes row `y` of the result.
    ///
    /// - Parameter row: where the first column that takes part lies in a row of the source.
    func assemble(_ y: Int, into target: UnsafeMutableRawPointer, row: (Int) -> UnsafeRawPointer) {
        if plan.isNearest {
            return unsafe copyNearest(row(Int(plan.vertical.first[y])), into: target)
        }
        for (tap, k) in plan.vertical.window(y).enumerated() {
            unsafe rows[tap] = row(k).assumingMemoryBound(to: UInt8.self)
        }
        switch format {
        case .gray8, .rgba8:
            unsafe combineRows(y, rows, path == .swift ? SwiftResampleKernels.combineRows : combineRows8)
            unsafe combineColumns(
                into: target.assumingMemoryBound(to: UInt8.self),
                format == .gray8 ? clt_combine_columns_gray_u8 : clt_combine_columns_rgba_u8)
        case .gray16, .rgba16:
            let rows = unsafe UnsafeRawPointer(rows).assumingMemoryBound(to: UnsafePointer<UInt16>?.self)
            unsafe combineRows(y, rows, path == .swift ? SwiftResampleKernels.combineRows : combineRows16)
            unsafe combineColumns(
                into: target.assumingMemoryBound(to: UInt16.self),
                format == .gray16 ? clt_combine_columns_gray_u16 : clt_combine_columns_rgba_u16)
        }
    }

    private typealias CombineRows<Sample> = (
        UnsafePointer<UnsafePointer<Sample>?>, UnsafePointer<Float>, Int, Int, UnsafeMutablePointer<Float>
    ) -> Void

    private func combineRows8(
        _ rows: UnsafePointer<UnsafePointer<UInt8>?>, _ weights: UnsafePointer<Float>, _ taps: Int, _ count: Int,
        _ out: UnsafeMutablePointer<Float>
    ) { unsafe clt_combine_rows_u8(path.level, rows, weights, taps, count, out) }

    private func combineRows16(
        _ rows: UnsafePointer<UnsafePointer<UInt16>?>, _ weights: UnsafePointer<Float>, _ taps: Int, _ count: Int,
        _ out: UnsafeMutablePointer<Float>
    ) { unsafe clt_combine_rows_u16(path.level, rows, weights, taps, count, out) }

    private func combineRows<Sample>(
        _ y: Int, _ rows: UnsafePointer<UnsafePointer<Sample>?>, _ combine: CombineRows<Sample>
    ) {
        unsafe plan.vertical.weights.withUnsafeBufferPointer { weights in
            guard let base = weights.baseAddress else { return }
            unsafe combine(
                rows, base + y * plan.vertical.stride, Int(plan.vertical.count[y]), plan.columns.count * format.channels, line)
        }
    }

    private func combineColumns<Sample: FixedWidthInteger & UnsignedInteger>(
        into target: UnsafeMutablePointer<Sample>,
        _ combine: (clt_level, UnsafePointer<Float>, UnsafePointer<clt_taps>, Int, UnsafeMutablePointer<Sample>) -> Void
    ) {
        let axis = plan.horizontal
        if path == .swift {
            return unsafe SwiftResampleKernels.combineColumns(line, axis, channels: format.channels, into: target)
        }
        unsafe axis.first.withUnsafeBufferPointer { first in
            unsafe axis.count.withUnsafeBufferPointer { count in
                unsafe axis.weights.withUnsafeBufferPointer { weights in
                    var taps = unsafe clt_taps(
                        first: first.baseAddress, taps: count.baseAddress, weights: weights.baseAddress, stride: axis.stride)
                    unsafe combine(path.level, line, &taps, plan.output.width, target)
                }
            }
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
