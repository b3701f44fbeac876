public import ImageCore

/// Resizes an image whose rows are appended one after the other, and writes each row of the result as soon as it is
/// complete. Only the source rows that the filter still needs are in memory.
///
/// ```swift
/// func shrink(
///     _ size: PixelSize, to geometry: ResizeGeometry, nextRow: () throws -> UnsafeRawBufferPointer
/// ) throws -> Bitmap {
///     let resampler = try RowResampler(source: size, format: .rgba8, to: geometry)
///     return try Bitmap(size: geometry.output, format: .rgba8, alpha: .opaque) { pixels, bytesPerRow in
///         for _ in 0..<size.height { try resampler.append(nextRow(), to: pixels, bytesPerRow: bytesPerRow) }
///     }
/// }
/// ```
///
/// The pixels are those of ``Resampler``. If rows are missing, the rows of the result that depend on them are not
/// written. Use it from one thread at a time.
@safe public final class RowResampler {
    /// The result's size, in pixels.
    public let output: PixelSize
    /// The format of source and result. Colour is opaque or premultiplied.
    public let format: PixelFormat
    /// The source rows that have weights. The others must be appended too, but their content does not matter.
    public let rows: Range<Int>
    /// Rows of the source appended so far.
    public private(set) var appendedRows = 0
    /// Rows of the result written so far, from the top.
    public private(set) var finishedRows = 0

    private let source: PixelSize
    private let plan: ResamplePlan
    private let assembler: RowAssembler
    private let ring: UnsafeMutableRawPointer
    /// The largest number of source rows in memory.
    let ringRows: Int
    private let rowBytes: Int

    /// - Parameters:
    ///   - source: the size of the whole source, in pixels; both sides at least 1.
    ///   - format: the pixel format of source and result.
    ///   - geometry: the part to take and its size in the result.
    ///   - filter: ``ResampleFilter/lanczos3``.
    /// - Throws: ``ImageError`` (`invalidRequest`) for a part that is not inside the source or an empty result.
    public init(source: PixelSize, format: PixelFormat, to geometry: ResizeGeometry, filter: ResampleFilter = .lanczos3)
        throws(ImageError)
    {
        try Resampler.check(geometry, source: source)
        (self.source, self.format, output) = (source, format, geometry.output)
        plan = ResamplePlan(source: source, geometry: geometry, filter: filter)
        rows = plan.rows
        assembler = RowAssembler(plan: plan, format: format, path: .current)
        rowBytes = plan.columns.count * format.bytesPerPixel
        ringRows = plan.vertical.mostTaps
        unsafe ring = .allocate(byteCount: rowBytes * ringRows, alignment: 64)
    }

    deinit { unsafe ring.deallocate() }

    /// Appends the next row of the source and writes the rows of the result that it completes.
    ///
    /// - Parameters:
    ///   - row: all pixels of the row, from the left; may be longer.
    ///   - result: the whole result, the same at every call; rows below ``finishedRows`` are complete.
    ///   - bytesPerRow: from one row of the result to the next.
    /// - Throws: ``ImageError`` (`invalidRequest`) for more rows than the source has, a row that is too short or a
    ///   result that is too small.
    public func append(
        _ row: UnsafeRawBufferPointer, to result: UnsafeMutableRawBufferPointer, bytesPerRow: Int
    ) throws(ImageError) {
        let width = output.width * format.bytesPerPixel
        guard appendedRows < source.height, row.count >= source.width * format.bytesPerPixel, bytesPerRow >= width,
            result.count >= bytesPerRow * (output.height - 1) + width
        else {
            throw ImageError(
                .invalidRequest,
                message:
                    "Row \(appendedRows) of an image of \(source) pixels cannot be resized: it is one too many or too short, or the result is too small."
            )
        }
        defer { appendedRows += 1 }
        guard rows.contains(appendedRows), let from = row.baseAddress, let to = result.baseAddress else { return }
        let left = plan.columns.lowerBound * format.bytesPerPixel
        unsafe (ring + appendedRows % ringRows * rowBytes).copyMemory(from: from + left, byteCount: rowBytes)
        while finishedRows < output.height, plan.vertical.window(finishedRows).upperBound <= appendedRows + 1 {
            unsafe assembler.assemble(finishedRows..<finishedRows + 1, into: to, bytesPerRow: bytesPerRow) { k in
                unsafe UnsafeRawPointer(ring + k % ringRows * rowBytes)
            }
            finishedRows += 1
        }
    }
}
