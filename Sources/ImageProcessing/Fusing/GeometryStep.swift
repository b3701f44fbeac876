internal import ImageCore
internal import ImageKernels

/// A processor that can move pixels in a way that depends only on the size of the image: it keeps a part, and turns it.
protocol GeometryStep: FusingProcessing {
    /// Whether it does no more than that with its parameters.
    var onlyMovesPixels: Bool { get }

    /// Returns the part that is kept of an image of a size.
    ///
    /// - Throws: what the processor throws for an image of that size.
    func part(of size: PixelSize) throws(ImageError) -> PixelRectangle

    /// How the part is turned.
    var turn: Orientation { get }
}

extension GeometryStep {
    var onlyMovesPixels: Bool { true }

    func part(of size: PixelSize) throws(ImageError) -> PixelRectangle { PixelRectangle(size) }

    var turn: Orientation { .up }

    public func fused(with next: any Processing) -> (any Processing)? {
        onlyMovesPixels ? GeometryChain(steps: [self]).fused(with: next) : nil
    }
}

extension Crop: GeometryStep {
    func part(of size: PixelSize) throws(ImageError) -> PixelRectangle {
        let part = PixelRectangle(x: x, y: y, width: width, height: height)
        try part.check(inside: size)
        return part
    }
}

extension CropTo: GeometryStep {
    var onlyMovesPixels: Bool { anchor != .attention }

    func part(of size: PixelSize) throws(ImageError) -> PixelRectangle {
        guard case .gravity(let gravity) = anchor else { return PixelRectangle(size) }
        let part = try self.size(in: size)
        let place = gravity.place(part, in: size)
        return PixelRectangle(x: place.x, y: place.y, width: part.width, height: part.height)
    }
}

extension Rotate: GeometryStep {
    var onlyMovesPixels: Bool { orientation != nil }

    var turn: Orientation { orientation ?? .up }
}

extension Flip: GeometryStep {
    var turn: Orientation { orientation }
}
