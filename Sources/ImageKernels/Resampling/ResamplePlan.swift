internal import ImageCore

/// The weights of both axes of a resize.
struct ResamplePlan: Sendable {
    /// The horizontal weights, counted from the first of ``columns``.
    let horizontal: ResampleWeights
    let vertical: ResampleWeights
    let output: PixelSize
    /// Whether pixels are copied without weights.
    let isNearest: Bool
    /// The source columns that have weights.
    let columns: Range<Int>
    /// The source rows that have weights.
    let rows: Range<Int>

    init(source: PixelSize, geometry: ResizeGeometry, filter: ResampleFilter) {
        let across = ResampleWeights(
            source: source.width, origin: geometry.x, length: geometry.width, output: geometry.output.width, filter: filter)
        vertical = ResampleWeights(
            source: source.height, origin: geometry.y, length: geometry.height, output: geometry.output.height, filter: filter)
        (columns, rows) = (across.reach, vertical.reach)
        horizontal = across.counted(from: columns.lowerBound)
        output = geometry.output
        isNearest = filter == .nearest
    }
}

extension Bitmap {
    /// Returns the image resampled. It is premultiplied or opaque.
    func resampled(_ plan: ResamplePlan, threads: Int, cancellation: CancellationToken?) throws -> Bitmap {
        let path = KernelPath.current
        return try unsafe makingRows(size: plan.output, threads: threads, cancellation: cancellation) {
            rows, from, to, bytesPerRow in
            let assembler = RowAssembler(plan: plan, format: format, path: path)
            let origin = unsafe from + plan.columns.lowerBound * format.bytesPerPixel
            while let two = rows.take(2) {
                unsafe assembler.assemble(two, into: to, bytesPerRow: bytesPerRow) { row in
                    unsafe origin + row * self.bytesPerRow
                }
            }
        }
    }
}
