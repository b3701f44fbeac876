package import ImageCore

extension Bitmap {
    /// Returns the image after all steps of a pass.
    ///
    /// - Parameters:
    ///   - pass: a pass for an image of this size.
    ///   - threads: how many threads to use, including that of the caller; 1.
    ///   - cancellation: checked between blocks of rows.
    /// - Returns: the image in the same format and colour space; premultiplied or opaque if it was resized.
    /// - Throws: ``ImageError`` (`invalidRequest`) for a pass made for another size; (`tooLarge`) if there is not
    ///   enough memory; `CancellationError`.
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
        // The rows and columns are mirrored by the weights. A small image is turned faster than a large one.
        let turn = OrientationTransform(swaps: pass.before.swaps, mirrorsX: false, mirrorsY: false).followed(by: pass.after)
        let small = try resampled(
            ResamplePlan(pass, scaling), part: pass.part, threads: threads, cancellation: cancellation)
        return try small.oriented(turn.orientation, threads: threads, cancellation: cancellation)
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

extension ResamplePlan {
    /// The resize of a pass, along the axes of the source.
    fileprivate init(_ pass: GeometryPass, _ scaling: GeometryPass.Scaling) {
        let (part, before, kept) = (pass.part, pass.before, pass.kept)
        // The weights are those of the turned image, whose axes may be reversed.
        let whole = ResampleWeights.axes(
            source: before.orientation.applied(to: part.size), geometry: scaling.geometry, filter: scaling.filter)
        let across = whole.across.keeping(kept.x..<kept.x + kept.width)
        let down = whole.down.keeping(kept.y..<kept.y + kept.height)
        var (horizontal, vertical) = before.swaps ? (down, across) : (across, down)
        if before.mirrorsX { horizontal = horizontal.onMirroredSource(of: part.width) }
        if before.mirrorsY { vertical = vertical.onMirroredSource(of: part.height) }
        self.init(horizontal: horizontal, vertical: vertical, isNearest: scaling.filter == .nearest)
    }
}
