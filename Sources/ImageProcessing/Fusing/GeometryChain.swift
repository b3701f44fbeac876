internal import ImageCore
internal import ImageKernels

/// Crops and turns, and the resize that follows them. They run one after another, but the image can be decoded at a
/// reduced size, as if the resize came first.
struct GeometryChain: FusingProcessing {
    fileprivate let steps: [any GeometryStep]
    fileprivate let resize: Resize?

    init(steps: [any GeometryStep], resize: Resize? = nil) { (self.steps, self.resize) = (steps, resize) }

    private var all: Composition { Composition(steps as [any Processing] + (resize.map { [$0] } ?? [])) }

    var identifier: String { all.identifier }

    var usesPixelCoordinates: Bool { all.usesPixelCoordinates }

    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        try all.process(image, context: context)
    }

    func fused(with next: any Processing) -> (any Processing)? {
        if resize != nil { return nil }
        if let resize = next as? Resize { return GeometryChain(steps: steps, resize: resize) }
        guard let step = next as? any GeometryStep, step.onlyMovesPixels else { return nil }
        return GeometryChain(steps: steps + [step])
    }

    var reducesDecode: Bool { resize != nil }

    /// If the whole image is resized, or the middle of it as `fill` does, the decode makes the same pixels as the
    /// resize. If a part was cropped before, it is decoded with ``oversampling`` times the pixels of the result in each
    /// direction. For photographs the result is within two levels of that from the full image, except for the two
    /// outermost pixels, which depend a little on pixels outside of the part.
    func reducedDecode(of source: PixelSize) -> ReducedDecode? {
        guard let resize, resize.filter == .lanczos3, !resize.isLinear else { return nil }
        var (size, isWhole, swaps) = (source, true, false)
        for step in steps {
            guard let part = try? step.part(of: size) else { return nil }
            isWhole = isWhole && part.size == size
            size = step.turn.applied(to: part.size)
            swaps = swaps != step.turn.swapsSides
        }
        guard let geometry = try? resize.geometry(for: size), !geometry.isIdentity(for: size) else { return nil }
        let output = geometry.output
        let (across, down) = (Double(output.width) / geometry.width, Double(output.height) / geometry.height)
        guard across <= 1, down <= 1 else { return nil }
        if isWhole, let mode = geometry.centredMode(in: size) {
            return ReducedDecode(targetSize: swaps ? output.transposed : output, contentMode: mode, processor: self)
        }
        func side(_ full: Int, _ scale: Double) -> Int { Int((Double(full) * scale * Self.oversampling).rounded(.up)) }
        let target = PixelSize(
            width: side(source.width, swaps ? down : across), height: side(source.height, swaps ? across : down))
        guard target.width < source.width, target.height < source.height else { return nil }
        return ReducedDecode(
            targetSize: target, contentMode: .exact, processor: ReducedGeometry(chain: self, resize: resize, full: source))
    }

    private static let oversampling = 2.0
}

/// Runs a chain on an image that was decoded at a reduced size.
private struct ReducedGeometry: Processing {
    let chain: GeometryChain
    let resize: Resize
    /// The full size of the image.
    let full: PixelSize

    var identifier: String { chain.identifier }

    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        var (image, size) = (image, full)
        // Where the image of that size lies in the reduced one, which may exceed it, or be exceeded, by half a pixel.
        var across = Span(start: 0, length: Double(image.size.width))
        var down = Span(start: 0, length: Double(image.size.height))
        for step in chain.steps {
            let part = try step.part(of: size)
            let columns = across.keep(part.x, part.width, of: size.width, in: image.size.width)
            let rows = down.keep(part.y, part.height, of: size.height, in: image.size.height)
            let crop = Crop(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
            image = try crop.process(image, context: context)
            let transform = OrientationTransform(step.turn)
            if transform.mirrorsX { across.mirror(in: columns.count) }
            if transform.mirrorsY { down.mirror(in: rows.count) }
            if transform.swaps { swap(&across, &down) }
            image = image.with(
                try image.bitmap.oriented(step.turn, threads: context.threads, cancellation: context.cancellation))
            size = step.turn.applied(to: part.size)
        }
        var geometry = try resize.geometry(for: size)
        (geometry.x, geometry.width) = across.place(geometry.x, geometry.width, of: size.width)
        (geometry.y, geometry.height) = down.place(geometry.y, geometry.height, of: size.height)
        return try resize.scale(image, to: geometry, context: context)
    }
}

/// A part of a row or column, in pixels.
private struct Span {
    var start: Double
    var length: Double

    /// Returns the place of a part of the span, which has `whole` pixels in full size.
    func place(_ start: Double, _ length: Double, of whole: Int) -> (start: Double, length: Double) {
        let scale = self.length / Double(whole)
        return (self.start + start * scale, length * scale)
    }

    /// Reduces the span to a part, and returns the nearest whole pixels, from which it then counts.
    mutating func keep(_ start: Int, _ length: Int, of whole: Int, in limit: Int) -> Range<Int> {
        (self.start, self.length) = place(Double(start), Double(length), of: whole)
        let first = max(0, min(limit - 1, Int(self.start.rounded())))
        let end = max(first + 1, min(limit, Int((self.start + self.length).rounded())))
        self.start -= Double(first)
        return first..<end
    }

    mutating func mirror(in count: Int) { start = Double(count) - start - length }
}

extension ResizeGeometry {
    /// The content mode by which a decoder would take the same part of an image of a size; `nil` for another part.
    fileprivate func centredMode(in size: PixelSize) -> ImageContentMode? {
        let (fullWidth, fullHeight) = (Double(size.width), Double(size.height))
        if x == 0, y == 0, width == fullWidth, height == fullHeight { return .exact }
        let isCentred = abs(x - (fullWidth - width) / 2) < 1e-6 && abs(y - (fullHeight - height) / 2) < 1e-6
        let isUniform = abs(width / height * Double(output.height) / Double(output.width) - 1) < 1e-9
        return isCentred && isUniform ? .fill : nil
    }
}
