/// Adjacent processors in a list that run as one.
public struct ProcessingRun: Sendable {
    /// The indices of the processors in the list.
    public var range: Range<Int>
    /// The processor that does their work.
    public var processor: any Processing

    /// Divides a list into runs, in order, each as long as its processors can be fused.
    public static func runs(of processors: [any Processing]) -> [ProcessingRun] {
        var runs: [ProcessingRun] = []
        for (index, processor) in processors.enumerated() {
            if let last = runs.last, let both = (last.processor as? any FusingProcessing)?.fused(with: processor) {
                runs[runs.count - 1] = ProcessingRun(range: last.range.lowerBound..<index + 1, processor: both)
            } else {
                runs.append(ProcessingRun(range: index..<index + 1, processor: processor))
            }
        }
        return runs
    }
}
