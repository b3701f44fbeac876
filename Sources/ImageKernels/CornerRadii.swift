public import ImageCore

/// The radii of the four corners of an image, in pixels; a corner with radius 0 is not rounded.
public struct CornerRadii: Hashable, Sendable {
    /// The radius of the top left corner.
    public var topLeft: Double
    /// The radius of the top right corner.
    public var topRight: Double
    /// The radius of the bottom right corner.
    public var bottomRight: Double
    /// The radius of the bottom left corner.
    public var bottomLeft: Double

    /// Creates radii, by default of 0.
    public init(topLeft: Double = 0, topRight: Double = 0, bottomRight: Double = 0, bottomLeft: Double = 0) {
        (self.topLeft, self.topRight, self.bottomRight, self.bottomLeft) = (topLeft, topRight, bottomRight, bottomLeft)
    }

    /// Creates equal radii.
    public init(_ all: Double) { self.init(topLeft: all, topRight: all, bottomRight: all, bottomLeft: all) }

    var all: [Double] { [topLeft, topRight, bottomRight, bottomLeft] }

    /// The radii, scaled down by one factor so that no two of them exceed a side together, as in CSS (CSS Backgrounds
    /// and Borders 3, section 4.5).
    func fitted(to size: PixelSize) -> CornerRadii {
        let (width, height) = (Double(size.width), Double(size.height))
        let scale =
            [
                1, width / (topLeft + topRight), width / (bottomLeft + bottomRight), height / (topLeft + bottomLeft),
                height / (topRight + bottomRight),
            ].min() ?? 1
        return CornerRadii(
            topLeft: topLeft * scale, topRight: topRight * scale, bottomRight: bottomRight * scale, bottomLeft: bottomLeft * scale
        )
    }
}

extension Bitmap {
    /// Returns the image with rounded corners. Edges are anti-aliased by the share of a pixel that is inside, computed
    /// from the distance of its centre to the arc.
    ///
    /// - Parameters:
    ///   - radii: the radius of each corner, in pixels.
    ///   - threads: how many threads to use; 1.
    ///   - cancellation: checked between blocks of rows.
    /// - Throws: ``ImageError`` (`invalidRequest`) for a radius that is negative or not finite; (`tooLarge`) if there
    ///   is not enough memory; `CancellationError`.
    public func rounded(_ radii: CornerRadii, threads: Int = 1, cancellation: CancellationToken? = nil) throws -> Bitmap {
        guard radii.all.allSatisfy({ $0 >= 0 && $0.isFinite }) else {
            throw ImageError(.invalidRequest, message: "Corner radii must be finite and not negative.")
        }
        guard radii.all.contains(where: { $0 > 0 }) else { return try premultiplied() }
        let source = try withColorChannels()
        let fitted = radii.fitted(to: size)
        return try unsafe source.editingRows(alpha: .premultiplied, threads: threads, cancellation: cancellation) { y, row in
            unsafe source.round(row, fromEdge: Double(y) + 0.5, left: fitted.topLeft, right: fitted.topRight)
            unsafe source.round(
                row, fromEdge: Double(height - y) - 0.5, left: fitted.bottomLeft, right: fitted.bottomRight)
        }
    }

    /// Applies the two corners of the upper or the lower half to a row.
    ///
    /// - Parameter fromEdge: the distance of the middle of the row from the top or the bottom edge.
    private func round(_ row: PixelSamples, fromEdge: Double, left: Double, right: Double) {
        if fromEdge < left { unsafe round(row, fromEdge: fromEdge, radius: left, isLeft: true) }
        if fromEdge < right { unsafe round(row, fromEdge: fromEdge, radius: right, isLeft: false) }
    }

    private func round(_ row: PixelSamples, fromEdge: Double, radius: Double, isLeft: Bool) {
        // From the edge inwards: transparent pixels, then partly covered pixels at the arc, then opaque pixels.
        let dy = radius - fromEdge
        let reach = (radius + 0.5) * (radius + 0.5) - dy * dy
        let columns = min(width, Int(radius.rounded(.up)))
        let clear = min(columns, max(0, reach > 0 ? Int((radius + 0.5 - reach.squareRoot()).rounded(.down)) : columns))
        let transparent = unsafe row.base + (isLeft ? 0 : width - clear) * format.bytesPerPixel
        unsafe transparent.initializeMemory(as: UInt8.self, repeating: 0, count: clear * format.bytesPerPixel)
        for column in clear..<columns {
            let dx = radius - Double(column) - 0.5
            let coverage = dx > 0 ? max(0, min(1, radius - (dx * dx + dy * dy).squareRoot() + 0.5)) : 1
            guard coverage < 1 else { break }
            let pixel = 4 * (isLeft ? column : width - 1 - column)
            for i in pixel..<pixel + 4 { unsafe row[i] = Int((Double(row[i]) * coverage).rounded()) }
        }
    }
}
