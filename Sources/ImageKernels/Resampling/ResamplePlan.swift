internal import ImageCore

/// What a resize does to one size of image: the weights of both axes.
struct ResamplePlan: Sendable {
    /// Counted from the first of ``columns``.
    let horizontal: ResampleWeights
    let vertical: ResampleWeights
    let output: PixelSize
    /// Whether pixels are copied rather than weighed.
    let isNearest: Bool
    /// The source columns that take part.
    let columns: Range<Int>
    /// The source rows that take part.
    let rows: Range<Int>

    init(source: PixelSize, geometry: ResizeGeometry, filter: ResampleFilter) {
        output = geometry.output
        isNearest = filter == .nearest
        let across = ResampleWeights(
            source: source.width, origin: geometry.x, length: geometry.width, output: output.width, filter: filter)
        vertical = ResampleWeights(
            source: source.height, origin: geometry.y, length: geometry.height, output: output.height, filter: filter)
        columns = across.reach
        rows = vertical.reach
        horizontal = across.counted(from: columns.lowerBound)
    }

    /// A plan of weights that may run in any order.
    init(horizontal: ResampleWeights, vertical: ResampleWeights, isNearest: Bool) {
        (columns, rows) = (horizontal.reach, vertical.reach)
        self.horizontal = horizontal.counted(from: columns.lowerBound)
        self.vertical = vertical
        output = PixelSize(width: horizontal.first.count, height: vertical.first.count)
        self.isNearest = isNearest
    }

    /// A plan that uses the whole source.
    init(horizontal: ResampleWeights, vertical: ResampleWeights, source: PixelSize) {
        (self.horizontal, self.vertical) = (horizontal, vertical)
        output = PixelSize(width: horizontal.first.count, height: vertical.first.count)
        isNearest = false
        (columns, rows) = (0..<source.width, 0..<source.height)
    }
}
