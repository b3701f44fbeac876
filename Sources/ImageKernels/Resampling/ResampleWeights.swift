/// Along one axis: which source samples make each sample of the result, and with what weights.
///
/// Sample `k` of the source covers [k, k + 1) with its centre at k + ½; result sample `i` has its centre at
/// `origin + (i + ½) · length / output`. So the picture's edges stay where they are. Where the kernel reaches over the
/// source's end its weights are cut off and the rest scaled up to a sum of one: a constant picture stays constant.
struct ResampleWeights: Sendable {
    /// Per result sample: the first source sample.
    private(set) var first: [Int32] = []
    /// Per result sample: how many source samples.
    private(set) var count: [Int32] = []
    /// Per result sample: its weights, ``stride`` apart, zeros after the last.
    private(set) var weights: [Float] = []
    /// Room for the widest kernel.
    let stride: Int

    /// - Parameters:
    ///   - source: samples of the source.
    ///   - origin: where the used part begins; `origin` and `length` lie within the source.
    init(source: Int, origin: Double, length: Double, output: Int, filter: ResampleFilter) {
        let step = length / Double(output)
        let stretch = filter == .nearest ? 1 : max(1, step)
        let radius = filter.radius * stretch
        stride = min(source, Int(radius.rounded(.up)) * 2 + 1)
        first.reserveCapacity(output)
        count.reserveCapacity(output)
        weights.reserveCapacity(output * stride)
        var kernel: [Double] = []
        for i in 0..<output {
            let center = origin + (Double(i) + 0.5) * step
            var start = max(0, Int((center - radius + 0.5).rounded(.down)))
            let end = min(source, Int((center + radius + 0.5).rounded(.down)))
            kernel.removeAll(keepingCapacity: true)
            var sum = 0.0
            for k in start..<max(start, end) {
                let weight = filter.weight(at: (Double(k) + 0.5 - center) / stretch)
                kernel.append(weight)
                sum += weight
            }
            if filter == .nearest || sum < 1e-6 {
                start = min(source - 1, max(0, Int(center)))
                kernel = [1]
                sum = 1
            }
            while kernel.count > 1, kernel.last == 0 { kernel.removeLast() }
            first.append(Int32(start))
            count.append(Int32(kernel.count))
            weights.append(contentsOf: kernel.map { Float($0 / sum) })
            weights.append(contentsOf: repeatElement(0, count: stride - kernel.count))
        }
    }

    /// The source samples that result sample `i` is made of.
    func window(_ i: Int) -> Range<Int> { Int(first[i])..<Int(first[i]) + Int(count[i]) }
}
