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
    ///
    /// - Parameter isWanted: whether somebody waits already for the picture after so many processors. A run is left there:
    ///   to share what that one is being made of saves more than one pass over memory.
    func pixelSteps(endingAt isWanted: (_ count: Int) -> Bool) -> [PixelStep] {
        var steps = [PixelStep(variant: 0, processor: nil)]
        for run in ProcessingRun.runs(of: options.processors) {
            // The number of processors after which the run could be left.
            guard let cut = run.range.dropFirst().last(where: isWanted) else {
                steps.append(PixelStep(variant: run.range.upperBound, processor: run.processor))
                continue
            }
            for part in [run.range.lowerBound..<cut, cut..<run.range.upperBound] {
                steps += ProcessingRun.runs(of: Array(options.processors[part])).map {
                    PixelStep(variant: part.lowerBound + $0.range.upperBound, processor: $0.processor)
                }
            }
        }
        return steps
    }
}
