internal import ImageCore
internal import ImageKernels

/// Adjacent crops, turns and resizes, which take one pass over memory for each resize.
struct GeometryChain: FusingProcessing {
    private let steps: [any GeometryStep]
    /// The full size of the image, if it was decoded to a smaller size. The first pass then uses the same part of it.
    private let full: PixelSize?

    init(steps: [any GeometryStep], full: PixelSize? = nil) { (self.steps, self.full) = (steps, full) }

    /// Returns `nil` if one of the processors does more than move pixels.
    init?(_ processors: [any Processing]) {
        var steps: [any GeometryStep] = []
        for processor in processors {
            if let chain = processor as? GeometryChain {
                steps += chain.steps
            } else if let step = processor as? any GeometryStep, step.onlyMovesPixels {
                steps.append(step)
            } else {
                return nil
            }
        }
        self.init(steps: steps)
    }

    var identifier: String { Composition(steps).identifier }

    var usesPixelCoordinates: Bool { steps.contains(where: \.usesPixelCoordinates) }

    /// Executes the steps in as few passes as possible.
    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        var bitmap = image.bitmap
        var pass = GeometryPass(full ?? bitmap.size)
        func applyPass() throws {
            if pass.source != bitmap.size, let scaled = pass.scaled(to: bitmap.size) { pass = scaled }
            bitmap = try bitmap.applying(pass, threads: context.threads, cancellation: context.cancellation)
        }
        for step in steps {
            if try step.add(to: &pass, context: context) { continue }
            try applyPass()
            pass = GeometryPass(bitmap.size)
            _ = try step.add(to: &pass, context: context)
        }
        try applyPass()
        return image.with(bitmap)
    }

    func fused(with next: any Processing) -> (any Processing)? {
        full == nil ? GeometryChain([self, next]) : nil
    }

    var reducesDecode: Bool { steps.contains { $0 is Resize } }

    /// Depends on the first resize. If it uses the whole image, or the middle of it as `fill` does, the decode produces the same
    /// pixels as the resize. If a part was cropped before, the image is decoded so that this part has ``oversampling`` times the
    /// pixels of the result in each direction, from which the resize makes the result. For photographs that is within two levels
    /// of the result from the full image, except for the two outermost pixels, which depend a little on pixels outside of the
    /// part.
    func reducedDecode(of source: PixelSize) -> ReducedDecode? {
        var pass = GeometryPass(source)
        for step in steps {
            guard (try? step.add(to: &pass, context: ProcessingContext())) == true else { return nil }
            if step is Resize { break }
        }
        guard let reduction = pass.reduction, reduction.filter == .lanczos3, !reduction.isLinear,
            reduction.scale.x <= 1, reduction.scale.y <= 1
        else { return nil }
        if reduction.isWhole, let mode = reduction.centredMode {
            return ReducedDecode(targetSize: reduction.output, contentMode: mode, processor: self)
        }
        func side(_ full: Int, _ scale: Double) -> Int { Int((Double(full) * scale * Self.oversampling).rounded(.up)) }
        let target = PixelSize(width: side(source.width, reduction.scale.x), height: side(source.height, reduction.scale.y))
        guard target.width < source.width, target.height < source.height else { return nil }
        return ReducedDecode(
            targetSize: target, contentMode: .exact, processor: GeometryChain(steps: steps, full: source))
    }

    private static let oversampling = 2.0
}

extension GeometryPass.Reduction {
    /// The options of a decode that returns this part of the whole image; `nil` if there are none.
    fileprivate var centredMode: ContentMode? {
        let (width, height) = (Double(turned.width), Double(turned.height))
        if part.x == 0, part.y == 0, part.width == width, part.height == height { return .exact }
        let isCentred = abs(part.x - (width - part.width) / 2) < 1e-6 && abs(part.y - (height - part.height) / 2) < 1e-6
        let isUniform = abs(part.width / part.height * Double(part.output.height) / Double(part.output.width) - 1) < 1e-9
        return isCentred && isUniform ? .fill : nil
    }
}
