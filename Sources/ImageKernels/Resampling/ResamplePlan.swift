internal import ImageCore

/// The weights of both axes for a resize of images of one size.
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
