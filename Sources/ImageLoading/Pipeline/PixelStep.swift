internal import ImageCore

/// One step on the way from bytes to the wanted picture: the decode, or a run of processors that work as one.
final class PixelStep: Sendable {
    /// Which of the plan's ``LoadPlan/variants`` it results in.
    let variant: Int
    /// What is run on the picture of the step before; `nil` for the decode.
    let processor: (any Processing)?

    init(variant: Int, processor: (any Processing)?) {
        self.variant = variant
        self.processor = processor
    }

    /// Whether the step may be taken together with the decode before it, which then gives less than the full picture.
    var reducesDecode: Bool { (processor as? any FusingProcessing)?.reducesDecode ?? false }
}

extension LoadPlan {
    /// The decode, then the processors in runs.
    var pixelSteps: [PixelStep] {
        let decode = [PixelStep(variant: 0, processor: nil)]
        guard !options.processors.isEmpty else { return decode }
        return decode
            + ProcessingRun.runs(of: options.processors).map {
                PixelStep(variant: $0.range.upperBound, processor: $0.processor)
            }
    }
}
