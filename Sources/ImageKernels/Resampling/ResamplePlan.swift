internal import ImageCore

/// The weights of both axes of a resize. They may run in any order.
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

    init(horizontal: ResampleWeights, vertical: ResampleWeights, isNearest: Bool) {
        (columns, rows) = (horizontal.reach, vertical.reach)
        self.horizontal = horizontal.counted(from: columns.lowerBound)
        self.vertical = vertical
        output = PixelSize(width: horizontal.first.count, height: vertical.first.count)
        self.isNearest = isNearest
    }

    init(source: PixelSize, geometry: ResizeGeometry, filter: ResampleFilter) {
        let (across, down) = ResampleWeights.axes(source: source, geometry: geometry, filter: filter)
        self.init(horizontal: across, vertical: down, isNearest: filter == .nearest)
    }
}

extension ResampleWeights {
    /// The weights of both axes.
    static func axes(
        source: PixelSize, geometry: ResizeGeometry, filter: ResampleFilter
    ) -> (across: ResampleWeights, down: ResampleWeights) {
        let output = geometry.output
        return (
            ResampleWeights(
                source: source.width, origin: geometry.x, length: geometry.width, output: output.width, filter: filter),
            ResampleWeights(
                source: source.height, origin: geometry.y, length: geometry.height, output: output.height, filter: filter)
        )
    }
}

extension Bitmap {
    /// Returns the image resampled. It is premultiplied or opaque.
    ///
    /// - Parameter part: the part of the image for which the plan was made; `nil` for all of it.
    func resampled(
        _ plan: ResamplePlan, part: PixelRectangle? = nil, threads: Int, cancellation: CancellationToken?
    ) throws -> Bitmap {
        let path = KernelPath.current
        let (x, y) = ((part?.x ?? 0) + plan.columns.lowerBound, part?.y ?? 0)
        return try unsafe makingRows(size: plan.output, threads: threads, cancellation: cancellation) {
            rows, from, to, bytesPerRow in
            let assembler = RowAssembler(plan: plan, format: format, path: path)
            let origin = unsafe from + (y * self.bytesPerRow + x * format.bytesPerPixel)
            while let two = rows.take(2) {
                unsafe assembler.assemble(two, into: to, bytesPerRow: bytesPerRow) { row in
                    unsafe origin + row * self.bytesPerRow
                }
            }
        }
    }
}
