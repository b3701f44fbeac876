package import ImageCore

/// Collects geometric steps (crop, turn, resize) to execute them in one pass over memory.
///
/// Any order of steps is equivalent to this one: crop, turn, resize, crop, turn. Only a second resize needs another
/// pass. The pixels are those of the separate steps: a resize does not read beyond the edges of an earlier crop.
package struct GeometryPass: Hashable, Sendable {
    struct Scaling: Hashable, Sendable {
        var geometry: ResizeGeometry
        var filter: ResampleFilter
        var isLinear: Bool
    }

    /// The size of the source image.
    package let source: PixelSize
    private(set) var part: PixelRectangle
    /// How the part is turned before the resize, or if there is no resize.
    private(set) var before = OrientationTransform(.up)
    private(set) var scaling: Scaling?
    /// The part of the resized image that is kept.
    private(set) var kept: PixelRectangle
    /// How that is turned.
    private(set) var after = OrientationTransform(.up)

    /// - Parameter source: both sides at least 1.
    package init(_ source: PixelSize) {
        self.source = source
        part = PixelRectangle(source)
        kept = part
    }

    /// The size of the result so far.
    package var output: PixelSize {
        scaling == nil ? before.orientation.applied(to: part.size) : after.orientation.applied(to: kept.size)
    }

    /// Whether the pass changes nothing.
    package var isIdentity: Bool { scaling == nil && part.size == source && before == OrientationTransform(.up) }

    package mutating func turn(_ orientation: Orientation) {
        if scaling == nil {
            before = before.followed(by: OrientationTransform(orientation))
        } else {
            after = after.followed(by: OrientationTransform(orientation))
        }
    }

    /// - Throws: ``ImageError`` (`invalidRequest`) for a rectangle that is empty or not inside the result so far.
    package mutating func crop(x: Int, y: Int, width: Int, height: Int) throws(ImageError) {
        try Bitmap.checkCrop(x: x, y: y, width: width, height: height, of: output)
        let rectangle = PixelRectangle(x: x, y: y, width: width, height: height)
        if scaling == nil {
            let inside = before.stored(rectangle, in: part.size)
            part = PixelRectangle(x: part.x + inside.x, y: part.y + inside.y, width: inside.width, height: inside.height)
        } else {
            let inside = after.stored(rectangle, in: kept.size)
            kept = PixelRectangle(x: kept.x + inside.x, y: kept.y + inside.y, width: inside.width, height: inside.height)
        }
    }

    /// Adds a resize of the result so far.
    ///
    /// - Returns: `false` if the pass has a resize already; this one must then follow the pass.
    ///
    /// - Throws: ``ImageError`` (`invalidRequest`) for a part that is not inside the result so far, or an empty result.
    package mutating func resize(
        to geometry: ResizeGeometry, filter: ResampleFilter, isLinear: Bool = false
    ) throws(ImageError) -> Bool {
        try Resampler.check(geometry, source: output)
        if geometry.isIdentity(for: output) { return true }
        guard scaling == nil else { return false }
        scaling = Scaling(geometry: geometry, filter: filter, isLinear: isLinear)
        kept = PixelRectangle(geometry.output)
        return true
    }

    /// Returns the pass for an image that was already scaled, as a whole, to another size. It uses the same part of the
    /// image, rounded to whole pixels, and its result has the same size.
    ///
    /// - Returns: `nil` if the pass has no resize.
    package func scaled(to size: PixelSize) -> GeometryPass? {
        guard var scaling else { return nil }
        let (x, y) = (Double(size.width) / Double(source.width), Double(size.height) / Double(source.height))
        let across = Stretch(start: part.x, length: part.width, scale: x, room: size.width)
        let down = Stretch(start: part.y, length: part.height, scale: y, room: size.height)
        let (u, v) = before.swaps ? (down, across) : (across, down)
        let (mirrorsU, mirrorsV) = before.swaps ? (before.mirrorsY, before.mirrorsX) : (before.mirrorsX, before.mirrorsY)
        let geometry = scaling.geometry
        (scaling.geometry.x, scaling.geometry.width) = u.placed(geometry.x, geometry.width, mirrored: mirrorsU)
        (scaling.geometry.y, scaling.geometry.height) = v.placed(geometry.y, geometry.height, mirrored: mirrorsV)
        var pass = GeometryPass(size)
        pass.part = PixelRectangle(x: across.first, y: down.first, width: across.count, height: down.count)
        (pass.before, pass.scaling, pass.kept, pass.after) = (before, scaling, kept, after)
        return pass
    }

    /// Adds what another pass does to its part.
    mutating func take(from other: GeometryPass) {
        (before, scaling, kept, after) = (other.before, other.scaling, other.kept, other.after)
        scaling?.isLinear = false
    }

    /// The size at which to decode the source for this pass; `nil` if the pass needs the full image.
    ///
    /// If the pass resizes the whole image, or the middle of it as `fill` does, the decode makes the same pixels as the
    /// resize. If a part was cropped before, `isWhole` is `false`: that part has ``oversampling`` times the pixels of
    /// the result in each direction, from which ``scaled(to:)`` makes the result. For photographs that is within two
    /// levels of the result from the full image, except for the two outermost pixels, which depend a little on pixels
    /// outside of the part.
    package var reducedDecode: (targetSize: PixelSize, contentMode: ContentMode, isWhole: Bool)? {
        guard let scaling, scaling.filter == .lanczos3, !scaling.isLinear else { return nil }
        let geometry = scaling.geometry
        let output = before.swaps ? geometry.output.transposed : geometry.output
        let (across, down) = (Double(geometry.output.width) / geometry.width, Double(geometry.output.height) / geometry.height)
        guard across <= 1, down <= 1 else { return nil }
        if part.size == source, let mode = geometry.centredMode(in: before.orientation.applied(to: source)) {
            return (output, mode, true)
        }
        func side(_ full: Int, _ scale: Double) -> Int { Int((Double(full) * scale * Self.oversampling).rounded(.up)) }
        let target = PixelSize(
            width: side(source.width, before.swaps ? down : across), height: side(source.height, before.swaps ? across : down))
        return target.width < source.width && target.height < source.height ? (target, .exact, false) : nil
    }

    private static let oversampling = 2.0

    /// Some samples of an axis that is scaled.
    private struct Stretch {
        let scale: Double
        /// The whole samples whose centres lie between their edges afterwards.
        let first: Int
        let count: Int
        /// How far the edges lie inside those samples, at either end; negative where they lie outside.
        let lead: Double
        let tail: Double

        init(start: Int, length: Int, scale: Double, room: Int) {
            let (from, to) = (Double(start) * scale, Double(start + length) * scale)
            self.scale = scale
            first = min(room - 1, Int(from.rounded()))
            count = max(1, min(room, Int(to.rounded())) - first)
            lead = from - Double(first)
            tail = Double(first + count) - to
        }

        func placed(_ origin: Double, _ length: Double, mirrored: Bool) -> (Double, Double) {
            (origin * scale + (mirrored ? tail : lead), length * scale)
        }
    }
}

extension ResizeGeometry {
    /// The content mode with which a decode returns this part of an image of that size; `nil` if there is none.
    fileprivate func centredMode(in size: PixelSize) -> ContentMode? {
        let (fullWidth, fullHeight) = (Double(size.width), Double(size.height))
        if x == 0, y == 0, width == fullWidth, height == fullHeight { return .exact }
        let isCentred = abs(x - (fullWidth - width) / 2) < 1e-6 && abs(y - (fullHeight - height) / 2) < 1e-6
        let isUniform = abs(width / height * Double(output.height) / Double(output.width) - 1) < 1e-9
        return isCentred && isUniform ? .fill : nil
    }
}
