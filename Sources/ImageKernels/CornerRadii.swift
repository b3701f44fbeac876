public import ImageCore

/// What a length is measured in.
public enum LengthUnit: Hashable, Sendable {
    /// Pixels.
    case pixels
    /// The shorter side of the image: 0.5 is half of it.
    case shorterSide

    /// A length in pixels.
    package func pixels(_ length: Double, of size: PixelSize) -> Double {
        self == .pixels ? length : length * Double(min(size.width, size.height))
    }
}

/// The radii of the four corners of an image; a corner with radius 0 is not rounded.
///
/// `CornerRadii(0.5, unit: .shorterSide)` makes a circle of a square, and half circles of the shorter sides of other
/// images.
public struct CornerRadii: Hashable, Sendable {
    /// The radius of the top left corner.
    public var topLeft: Double
    /// The radius of the top right corner.
    public var topRight: Double
    /// The radius of the bottom right corner.
    public var bottomRight: Double
    /// The radius of the bottom left corner.
    public var bottomLeft: Double
    /// What the radii are measured in; pixels by default.
    public var unit: LengthUnit

    /// Creates radii, by default of 0 pixels.
    public init(
        topLeft: Double = 0, topRight: Double = 0, bottomRight: Double = 0, bottomLeft: Double = 0,
        unit: LengthUnit = .pixels
    ) {
        (self.topLeft, self.topRight, self.bottomRight, self.bottomLeft) = (topLeft, topRight, bottomRight, bottomLeft)
        self.unit = unit
    }

    /// Creates equal radii, by default in pixels.
    public init(_ all: Double, unit: LengthUnit = .pixels) {
        self.init(topLeft: all, topRight: all, bottomRight: all, bottomLeft: all, unit: unit)
    }

    /// The radii in the order of the parameters.
    package var all: [Double] { [topLeft, topRight, bottomRight, bottomLeft] }

    private func map(_ change: (Double) -> Double) -> CornerRadii {
        CornerRadii(
            topLeft: change(topLeft), topRight: change(topRight), bottomRight: change(bottomRight),
            bottomLeft: change(bottomLeft))
    }

    /// The radii in pixels, scaled down by one factor so that no two of them exceed a side together, as in CSS (CSS
    /// Backgrounds and Borders 3, section 4.5).
    func fitted(to size: PixelSize) -> CornerRadii {
        let radii = map { unit.pixels($0, of: size) }
        let (width, height) = (Double(size.width), Double(size.height))
        let scale =
            [
                1, width / (radii.topLeft + radii.topRight), width / (radii.bottomLeft + radii.bottomRight),
                height / (radii.topLeft + radii.bottomLeft), height / (radii.topRight + radii.bottomRight),
            ].min() ?? 1
        return radii.map { $0 * scale }
    }

    /// - Throws: ``ImageError`` (`invalidRequest`) for a radius that is negative or not finite.
    func check() throws(ImageError) {
        guard all.allSatisfy({ $0 >= 0 && $0.isFinite }) else {
            throw ImageError(.invalidRequest, message: "Corner radii must be finite and not negative.")
        }
    }

    /// The radii of the inner edge of a border, whose outer edge has these radii in pixels.
    fileprivate func inset(by width: Double) -> CornerRadii { map { max(0, $0 - width) } }
}

extension Bitmap {
    /// Returns the image with rounded corners. Edges are anti-aliased by the share of a pixel that is inside, computed
    /// from the distance of its centre to the arc.
    ///
    /// - Parameters:
    ///   - radii: the radius of each corner.
    ///   - threads: how many threads to use; 1.
    ///   - cancellation: checked between blocks of rows.
    /// - Throws: ``ImageError`` (`invalidRequest`) for a radius that is negative or not finite; (`tooLarge`) if there
    ///   is not enough memory; `CancellationError`.
    public func rounded(_ radii: CornerRadii, threads: Int = 1, cancellation: CancellationToken? = nil) throws -> Bitmap {
        try radii.check()
        guard radii.all.contains(where: { $0 > 0 }) else { return try premultiplied() }
        let source = try withColorChannels()
        let fitted = radii.fitted(to: size)
        return try unsafe source.editingRows(alpha: .premultiplied, threads: threads, cancellation: cancellation) { y, row in
            unsafe source.round(row, fromEdge: Double(y) + 0.5, left: fitted.topLeft, right: fitted.topRight)
            unsafe source.round(
                row, fromEdge: Double(height - y) - 0.5, left: fitted.bottomLeft, right: fitted.bottomRight)
        }
    }

    /// Returns the image with rounded corners and a border inside its edges that follows them. Both edges of the border
    /// are anti-aliased as in ``rounded(_:threads:cancellation:)``.
    ///
    /// - Parameters:
    ///   - radii: the radius of each corner of the outer edge. Those of the inner edge are smaller by `border`.
    ///   - border: the width of the border, in pixels.
    ///   - color: the colour of the border, in the colour space of the image.
    ///   - threads: how many threads to use; 1.
    ///   - cancellation: checked between blocks of rows.
    /// - Throws: ``ImageError`` (`invalidRequest`) for a radius that is negative or not finite, or a width less than 1;
    ///   (`tooLarge`) if there is not enough memory; `CancellationError`.
    public func bordered(
        _ radii: CornerRadii, width border: Int, color: PixelColor, threads: Int = 1,
        cancellation: CancellationToken? = nil
    ) throws -> Bitmap {
        try radii.check()
        guard border >= 1 else {
            throw ImageError(.invalidRequest, message: "A border must be at least 1 pixel wide, not \(border).")
        }
        let source = try withColorChannels()
        let line = color.premultiplied(most: Double(source.fullLevel))
        let inner = radii.fitted(to: size).inset(by: Double(border))
        let reach = border + Int((inner.all.max() ?? 0).rounded(.up))
        // The border covers all that is outside of its inner edge. Rounding then cuts the outer edge.
        let painted = try unsafe source.editingRows(
            alpha: alpha == .opaque && color.alpha == 1 ? nil : .premultiplied, threads: threads, cancellation: cancellation
        ) { y, row in
            let fromEdge = min(y, height - 1 - y)
            let columns = fromEdge < border ? width : min(width, fromEdge < reach ? reach : border)
            for x in [0..<columns, max(columns, width - columns)..<width].joined() {
                let coverage = 1 - source.coverage(x, y, inside: inner, margin: border)
                for i in 0..<4 where coverage > 0 {
                    let kept = Double(unsafe row[4 * x + i]) * (1 - coverage * color.alpha)
                    unsafe row[4 * x + i] = Int((Double(line[i]) * coverage + kept).rounded())
                }
            }
        }
        return try painted.rounded(radii, threads: threads, cancellation: cancellation)
    }

    /// The share of a pixel inside a rounded rectangle, which is smaller than the image by a margin on each side.
    private func coverage(_ x: Int, _ y: Int, inside radii: CornerRadii, margin: Int) -> Double {
        let (left, top, right, bottom) = (x - margin, y - margin, width - 1 - x - margin, height - 1 - y - margin)
        guard min(left, top, right, bottom) >= 0 else { return 0 }
        func corner(_ radius: Double, _ across: Int, _ down: Int) -> Double {
            let (dx, dy) = (radius - Double(across) - 0.5, radius - Double(down) - 0.5)
            return dx > 0 && dy > 0 ? max(0, min(1, radius - (dx * dx + dy * dy).squareRoot() + 0.5)) : 1
        }
        return min(
            corner(radii.topLeft, left, top), corner(radii.topRight, right, top),
            corner(radii.bottomRight, right, bottom), corner(radii.bottomLeft, left, bottom))
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
