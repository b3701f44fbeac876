internal import ImageCore

/// One step on the way from the decoded to the wanted image: a run of processors that work as one.
struct PixelStep: Sendable {
    /// The index of its result in the plan's ``LoadPlan/variants``.
    let variant: Int
    /// What runs on the image of the step before.
    let processor: any Processing

    /// Whether the step may run together with the decode before it, which then gives less than the full image.
    var reducesDecode: Bool { (processor as? any FusingProcessing)?.reducesDecode ?? false }
}

extension LoadPlan {
    /// The processors in steps.
    ///
    /// - Parameter isWanted: whether a load waits already for the image after that many processors. A step ends there,
    ///   so that [a, b] shares the work of [a] also where the two could work as one.
    func steps(endingAt isWanted: (_ count: Int) -> Bool) -> [PixelStep] {
        var steps: [PixelStep] = []
        for run in runs {
            // The number of processors after which the run could end.
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
