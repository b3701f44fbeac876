package import ImageCore

extension Bitmap {
    /// Returns the image after all steps of a pass.
    ///
    /// - Parameters:
    ///   - pass: a pass for an image of this size.
    ///   - threads: how many threads to use, including that of the caller; 1.
    ///   - cancellation: checked between blocks of rows.
    /// - Returns: the image in the same format and colour space; premultiplied or opaque if it was resized.
    /// - Throws: ``ImageError`` (`invalidRequest`) for a pass made for another size; (`tooLarge`) if there is not enough memory;
    ///   `CancellationError`.
    package func applying(
        _ pass: GeometryPass, threads: Int = 1, cancellation: CancellationToken? = nil
    ) throws -> Bitmap {
        guard pass.source == size else {
            throw ImageError(.invalidRequest, message: "Steps for an image of \(pass.source) pixels do not fit one of \(size).")
        }
        try cancellation?.check()
        guard let scaling = pass.scaling else {
            return try turned(pass.part, pass.before.orientation, threads: threads, cancellation: cancellation)
        }
        if alpha == .straight || scaling.isLinear {
            // Only the part that is used is converted.
            let whole = try turned(pass.part, .up, threads: threads, cancellation: cancellation)
            let rest = pass.onPart
            if !scaling.isLinear { return try whole.premultiplied().applying(rest, threads: threads, cancellation: cancellation) }
            let linear = try whole.linearized(cancellation: cancellation)
            return try linear.applying(rest, threads: threads, cancellation: cancellation)
                .encoded(as: format, cancellation: cancellation)
        }
        return try resampled(PassPlan(pass, scaling), threads: threads, cancellation: cancellation)
    }

    private func resampled(_ plan: PassPlan, threads: Int, cancellation: CancellationToken?) throws -> Bitmap {
        let path = KernelPath.current
        let (source, pixel) = (self, format.bytesPerPixel)
        return try unsafe Bitmap(size: plan.output, format: format, alpha: alpha, colorSpace: colorSpace) { pixels, bytesPerRow in
            try unsafe source.withUnsafePixels { rows in
                let (from, to) = unsafe (rows.baseAddress.unsafelyUnwrapped, pixels.baseAddress.unsafelyUnwrapped)
                let origin =
                    unsafe from + (plan.part.y * source.bytesPerRow + (plan.part.x + plan.resample.columns.lowerBound) * pixel)
                let made = plan.resample.output
                try RowQueue.run(rows: made.height, threads: threads) { queue in
                    let assembler = RowAssembler(plan: plan.resample, format: source.format, path: path)
                    func write(_ y: Int, _ target: UnsafeMutableRawPointer) throws {
                        if y & 7 == 0 { try cancellation?.check() }
                        unsafe assembler.assemble(y, into: target) { row in unsafe origin + row * source.bytesPerRow }
                    }
                    guard plan.turn.swaps else {
                        for y in queue {
                            try unsafe write(y, to + (plan.turn.mirrorsY ? made.height - 1 - y : y) * bytesPerRow)
                        }
                        return
                    }
                    // Rows become columns. A block of rows that fits the first-level cache is made and then turned.
                    let block = TurnBlock(width: made.width, format: source.format)
                    while let rows = queue.take(TurnBlock.rows) {
                        for (y, row) in rows.enumerated() { try unsafe write(row, block.base + y * block.bytesPerRow) }
                        let column = plan.turn.mirrorsY ? made.height - rows.upperBound : rows.lowerBound
                        unsafe block.turn(plan.turn.orientation, rows: rows.count, to: to + column * pixel, bytesPerRow)
                    }
                }
            }
        }
    }
}

extension GeometryPass {
    /// The steps after the crop.
    fileprivate var onPart: GeometryPass {
        var rest = GeometryPass(part.size)
        rest.take(from: self)
        return rest
    }
}

/// A pass with a resize as a resample along the axes of the source, and one turn at the end.
private struct PassPlan {
    let part: PixelRectangle
    let resample: ResamplePlan
    /// Columns are mirrored by ``resample`` already.
    let turn: OrientationTransform
    let output: PixelSize

    init(_ pass: GeometryPass, _ scaling: GeometryPass.Scaling) {
        part = pass.part
        let (before, after, kept, geometry) = (pass.before, pass.after, pass.kept, scaling.geometry)
        let turned = before.orientation.applied(to: part.size)
        // The weights are those of the turned image, whose axes may be reversed.
        let across = ResampleWeights(
            source: turned.width, origin: geometry.x, length: geometry.width, output: geometry.output.width,
            filter: scaling.filter
        ).keeping(kept.x..<kept.x + kept.width)
        let down = ResampleWeights(
            source: turned.height, origin: geometry.y, length: geometry.height, output: geometry.output.height,
            filter: scaling.filter
        ).keeping(kept.y..<kept.y + kept.height)
        var (horizontal, vertical) = before.swaps ? (down, across) : (across, down)
        if before.mirrorsX { horizontal = horizontal.onMirroredSource(of: part.width) }
        if before.mirrorsY { vertical = vertical.onMirroredSource(of: part.height) }
        var last = OrientationTransform(swaps: before.swaps, mirrorsX: false, mirrorsY: false).followed(by: after)
        output = last.orientation.applied(to: PixelSize(width: horizontal.first.count, height: vertical.first.count))
        if last.mirrorsX {
            horizontal = horizontal.backwards()
            last.mirrorsX = false
        }
        turn = last
        resample = ResamplePlan(horizontal: horizontal, vertical: vertical, isNearest: scaling.filter == .nearest)
    }
}

/// Memory for some rows of a result before a quarter turn. Each thread has its own instance.
@safe private final class TurnBlock {
    static let rows = 32
    let base: UnsafeMutableRawPointer
    let bytesPerRow: Int
    private let width: Int
    private let format: PixelFormat

    init(width: Int, format: PixelFormat) {
        (self.width, self.format) = (width, format)
        bytesPerRow = Bitmap.bytesPerRow(width: width, format: format)
        unsafe base = .allocate(byteCount: bytesPerRow * TurnBlock.rows, alignment: 64)
    }

    deinit { unsafe base.deallocate() }

    func turn(_ orientation: Orientation, rows: Int, to target: UnsafeMutableRawPointer, _ targetBytesPerRow: Int) {
        let size = PixelSize(width: width, height: rows)
        let turn = unsafe OrientedPixels(orientation, base, size: size, bytesPerRow: bytesPerRow, format: format)
        unsafe turn.copy(0..<turn.size.height, to: target, targetBytesPerRow)
    }
}
