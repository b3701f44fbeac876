/// The source samples of each sample of the result, and their weights, along one axis.
///
/// Sample `k` of the source covers [k, k + 1) with its centre at k + ½; result sample `i` has its centre at
/// `origin + (i + ½) · length / output`. The edges of the image therefore stay in place. Where the kernel exceeds the
/// source, its weights are removed and the others scaled to a sum of one, so that a constant image stays constant.
struct ResampleWeights: Sendable {
    /// Per result sample: the first source sample.
    private(set) var first: [Int32] = []
    /// Per result sample: how many source samples.
    private(set) var count: [Int32] = []
    /// Per result sample: its weights, ``stride`` apart, zeros after the last.
    private(set) var weights: [Float] = []
    /// The largest number of source samples of a result sample.
    private(set) var mostTaps = 1
    /// The distance between the weights of two result samples: the widest kernel, rounded up to a multiple of 4.
    let stride: Int

    /// - Parameters:
    ///   - source: samples of the source.
    ///   - origin: where the used part begins; `origin` and `length` lie within the source.
    init(source: Int, origin: Double, length: Double, output: Int, filter: ResampleFilter) {
        let step = length / Double(output)
        let stretch = max(1, step)
        let radius = filter.radius * stretch
        // If the samples of source and result coincide, an interpolating filter is one at the centre and zero at all
        // neighbours.
        let isCopy = filter == .nearest || step == 1 && origin == origin.rounded() && filter.interpolates
        stride = isCopy ? 4 : (min(source, Int(radius.rounded(.up)) * 2 + 1) + 3) & ~3
        first = [Int32](repeating: 0, count: output)
        count = [Int32](repeating: 0, count: output)
        weights = [Float](repeating: 0, count: output * stride)
        var values = [Double](repeating: 0, count: stride)
        for i in 0..<output {
            let center = origin + (Double(i) + 0.5) * step
            let start = max(0, Int((center - radius + 0.5).rounded(.down)))
            let end = min(source, Int((center + radius + 0.5).rounded(.down)))
            var sum = 0.0
            if !isCopy {
                for k in start..<max(start, end) {
                    values[k - start] = filter.weight(at: (Double(k) + 0.5 - center) / stretch)
                    sum += values[k - start]
                }
            }
            if sum < 1e-6 {
                first[i] = Int32(min(source - 1, max(0, Int(center))))
                count[i] = 1
                weights[i * stride] = 1
            } else {
                first[i] = Int32(start)
                count[i] = Int32(end - start)
                mostTaps = max(mostTaps, end - start)
                for t in 0..<end - start { weights[i * stride + t] = Float(values[t] / sum) }
            }
        }
    }

    /// The same weights for every result sample. `weights` is padded with zeros to a multiple of 4.
    init(first: [Int], taps: Int, weights: [Float]) {
        self.first = first.map { Int32($0) }
        count = [Int32](repeating: Int32(taps), count: first.count)
        mostTaps = taps
        self.weights = weights
        stride = 0
    }

    /// The source samples that result sample `i` is made of.
    func window(_ i: Int) -> Range<Int> { Int(first[i])..<Int(first[i]) + Int(count[i]) }

    /// The source samples that some result samples are made of.
    func window(_ range: Range<Int>) -> Range<Int> {
        let (start, end) = (window(range.lowerBound), window(range.upperBound - 1))
        return min(start.lowerBound, end.lowerBound)..<max(start.upperBound, end.upperBound)
    }

    /// The source samples that have weights.
    var reach: Range<Int> { window(first.indices) }

    /// The same for a source that begins at sample `start`.
    func counted(from start: Int) -> ResampleWeights {
        var copy = self
        copy.first = first.map { $0 - Int32(start) }
        return copy
    }
}

extension ResampleFilter {
    /// Whether the kernel is zero at every whole distance but its centre.
    var interpolates: Bool { self != .mitchell }
}
