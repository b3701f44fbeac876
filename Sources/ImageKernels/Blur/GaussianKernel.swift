internal import CalotypeSystem

/// The weights of a Gaussian on whole pixels, out to 3σ, summing to one.
struct GaussianKernel: Sendable {
    /// The weights: symmetric, padded with zeros to a multiple of 4.
    let weights: [Float]
    /// The number of weights without the padding.
    let taps: Int
    /// Pixels from the first tap to the centre, rounded down.
    let radius: Int

    /// - Parameter phase: 0 for a centre on a pixel, ½ for one between two.
    init(sigma: Double, phase: Double) {
        radius = Int((3 * sigma).rounded(.up))
        let last = phase == 0 ? radius : radius + 1
        let values = (-radius...last).map { offset -> Double in
            let distance = (Double(offset) - phase) / sigma
            return exp(-0.5 * distance * distance)
        }
        let sum = values.reduce(0, +)
        taps = values.count
        weights = values.map { Float($0 / sum) } + [Float](repeating: 0, count: (4 - values.count & 3) & 3)
    }
}
