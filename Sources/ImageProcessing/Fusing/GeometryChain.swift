internal import ImageCore
internal import ImageKernels

/// Crops, turns and resizes that follow one another, in one pass over memory for each resize.
struct GeometryChain: FusingProcessing {
    private let processors: [any Processing]
    private let steps: [GeometryStep]
    /// The full size of the image, where the one that comes was decoded to less.
    private let full: PixelSize?

    private init(_ processors: [any Processing], _ steps: [GeometryStep], full: PixelSize? = nil) {
        (self.processors, self.steps, self.full) = (processors, steps, full)
    }

    /// `nil` where not all of them only move pixels.
    init?(_ processors: [any Processing]) {
        var steps: [GeometryStep] = []
        for processor in processors {
            if let chain = processor as? GeometryChain {
                steps += chain.steps
            } else if let step = GeometryStep(processor) {
                steps.append(step)
            } else {
                return nil
            }
        }
        self.init(processors.flatMap { ($0 as? GeometryChain)?.processors ?? [$0] }, steps)
    }

    var identifier: String { Composition(processors).identifier }

    var usesPixelCoordinates: Bool { processors.contains(where: \.usesPixelCoordinates) }

    func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        try GeometryStep.run(steps, on: image, standingFor: full, context: context)
    }

    func fused(with next: any Processing) -> (any Processing)? {
        full == nil ? GeometryChain([self, next]) : nil
    }

    var reducesDecode: Bool { steps.contains(where: \.isResize) }

    /// The first resize decides. Where it takes the whole image, or the middle of it as `fill` does, the decode makes the
    /// very pixels that it would make. Where a part was cropped out before, the image is decoded so that this part has
    /// ``oversampling`` times the pixels of the result in each direction, and the resize takes them from there: the
    /// filter then sees all that it lets through. On photographs such a result is within two levels of that of the full
    /// decode, but for the two outermost pixels of the part, into which a little of what lies beside it is mixed.
    func reducedDecode(of source: PixelSize) -> ReducedDecode? {
        var pass = GeometryPass(source)
        for step in steps {
            guard (try? step.add(to: &pass, context: ProcessingContext())) == true else { return nil }
            if step.isResize { break }
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
            targetSize: target, contentMode: .exact, processor: GeometryChain(processors, steps, full: source))
    }

    private static let oversampling = 2.0
}

extension GeometryStep {
    fileprivate var isResize: Bool { if case .resize = self { true } else { false } }
}

extension GeometryPass.Reduction {
    /// How a decoder would be asked for this part of the whole image; `nil` for a part that none can be asked for.
    fileprivate var centredMode: ContentMode? {
        let (width, height) = (Double(turned.width), Double(turned.height))
        if part.x == 0, part.y == 0, part.width == width, part.height == height { return .exact }
        let isCentred = abs(part.x - (width - part.width) / 2) < 1e-6 && abs(part.y - (height - part.height) / 2) < 1e-6
        let isUniform = abs(part.width / part.height * Double(part.output.height) / Double(part.output.width) - 1) < 1e-9
        return isCentred && isUniform ? .fill : nil
    }
}
