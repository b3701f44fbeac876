public import ImageCore

// Which processors reduce a decode, besides crops and turns with a resize.

extension Resize: FusingProcessing {
    public var reducesDecode: Bool { true }
    public func reducedDecode(of source: PixelSize) -> ReducedDecode? {
        GeometryChain(steps: [], resize: self).reducedDecode(of: source)
    }
}

extension Composition: FusingProcessing {
    public var reducesDecode: Bool { (runs.first?.processor as? any FusingProcessing)?.reducesDecode ?? false }

    public func reducedDecode(of source: PixelSize) -> ReducedDecode? {
        let runs = runs
        guard let first = runs.first?.processor as? any FusingProcessing, var reduced = first.reducedDecode(of: source) else {
            return nil
        }
        reduced.processor = Composition([reduced.processor] + runs.dropFirst().map(\.processor))
        return reduced
    }

    var runs: [ProcessingRun] { ProcessingRun.runs(of: processors) }
}
