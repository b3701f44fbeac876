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

    /// Depends on the first resize.
    func reducedDecode(of source: PixelSize) -> ReducedDecode? {
        var pass = GeometryPass(source)
        for step in steps {
            guard (try? step.add(to: &pass, context: ProcessingContext())) == true else { return nil }
            if step is Resize { break }
        }
        guard let reduced = pass.reducedDecode else { return nil }
        return ReducedDecode(
            targetSize: reduced.targetSize, contentMode: reduced.contentMode,
            processor: reduced.isWhole ? self : GeometryChain(steps: steps, full: source))
    }
}
