public import ImageCore

/// Resizes an image whose rows are appended one after the other, and writes each row of the result as soon as it is
/// complete. Only the source rows that the filter still needs are in memory.
///
/// ```swift
/// func shrink(
///     _ size: PixelSize, to geometry: ResizeGeometry, nextRow: () throws -> UnsafeRawBufferPointer
/// ) throws -> Bitmap {
///     try Bitmap(resampling: size, format: .rgba8, alpha: .opaque, to: geometry) { append in
///         for _ in 0..<size.height { try append(nextRow()) }
///     }
/// }
/// ```
///
/// ``Bitmap/init(resampling:format:alpha:colorSpace:to:filter:rows:)`` is simpler to use. Use the class itself for a
/// producer with callbacks, or to show rows while they arrive. The pixels are those of ``Resampler``. Use it from one
/// thread at a time.
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

extension Bitmap {
    /// Makes a resized image from rows as they arrive. The whole source is never in memory.
    ///
    /// - Parameters:
    ///   - source: the size of the whole source, in pixels.
    ///   - format: the format of source and result.
    ///   - alpha: the alpha mode of source and result; opaque or premultiplied.
    ///   - colorSpace: the colour space of source and result; sRGB.
    ///   - geometry: the part to take and its size in the result.
    ///   - filter: ``ResampleFilter/lanczos3``.
    ///   - rows: calls its argument with each complete row of the source, from the top. A row must be valid only during
    ///     the call. If rows are missing, the rows of the result that depend on them are zero.
    /// - Throws: ``ImageError`` (`invalidRequest`) for parameters that do not fit, (`tooLarge`) if there is not enough
    ///   memory; what `rows` throws.
    public init(
        resampling source: PixelSize, format: PixelFormat, alpha: AlphaMode, colorSpace: ColorSpace = .sRGB,
        to geometry: ResizeGeometry, filter: ResampleFilter = .lanczos3,
        rows: (_ append: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        guard alpha != .straight else {
            throw ImageError(.invalidRequest, message: "Rows with straight alpha cannot be resized; premultiply them first.")
        }
        let resampler = try RowResampler(source: source, format: format, to: geometry, filter: filter)
        try unsafe self.init(size: geometry.output, format: format, alpha: alpha, colorSpace: colorSpace) { pixels, bytesPerRow in
            try unsafe rows { row in try unsafe resampler.append(row, to: pixels, bytesPerRow: bytesPerRow) }
        }
    }
}
