internal import ImageCore
internal import ImageKernels

/// A processor that can move pixels in a way that depends only on the size of the image.
protocol GeometryStep: FusingProcessing {
    /// Whether it does no more than that with its parameters.
    var onlyMovesPixels: Bool { get }

    /// Adds the processor, which only moves pixels, to a pass.
    ///
    /// - Returns: `false` if the processor must follow the pass.
    /// - Throws: what the processor throws for an image of that size.
    func add(to pass: inout GeometryPass, context: ProcessingContext) throws(ImageError) -> Bool
}

extension GeometryStep {
    var onlyMovesPixels: Bool { true }

    public func fused(with next: any Processing) -> (any Processing)? { GeometryChain([self, next]) }
}

extension Resize: GeometryStep {
    func add(to pass: inout GeometryPass, context: ProcessingContext) throws(ImageError) -> Bool {
        let geometry = try geometry(for: pass.output)
        try context.check(geometry.output, after: identifier)
        return try pass.resize(to: geometry, filter: filter, isLinear: isLinear)
    }
}

extension Crop: GeometryStep {
    func add(to pass: inout GeometryPass, context: ProcessingContext) throws(ImageError) -> Bool {
        try pass.crop(x: x, y: y, width: width, height: height)
        return true
    }
}

extension CropTo: GeometryStep {
    var onlyMovesPixels: Bool { anchor != .attention }

    func add(to pass: inout GeometryPass, context: ProcessingContext) throws(ImageError) -> Bool {
        guard case .gravity(let gravity) = anchor else { return false }
        let part = try size(in: pass.output)
        let place = gravity.place(part, in: pass.output)
        try pass.crop(x: place.x, y: place.y, width: part.width, height: part.height)
        return true
    }
}

extension Rotate: GeometryStep {
    var onlyMovesPixels: Bool { orientation != nil }

    func add(to pass: inout GeometryPass, context: ProcessingContext) -> Bool {
        pass.turn(orientation ?? .up)
        return true
    }
}

extension Flip: GeometryStep {
    func add(to pass: inout GeometryPass, context: ProcessingContext) -> Bool {
        pass.turn(orientation)
        return true
    }
}
