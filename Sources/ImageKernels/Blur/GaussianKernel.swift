internal import ImageCore
internal import CalotypeSystem

/// The weights of a Gaussian on whole pixels, out to 3σ, summing to one.
struct GaussianKernel: Sendable {
    /// Mirrored at the middle one, padded with zeros to a multiple of 4.
    let weights: [Float]
    /// How many weights count.
    let taps: Int
    /// Pixels from the first tap to the centre, rounded down.
    let radius: Int

    /// - Parameter phase: 0 for a centre on a pixel, ½ for one between two.
    init(sigma: Double, phase: Double) {
        radius = Int((3 * sigma).rounded(.up)) + (phase == 0 ? 0 : -1)
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

/// The pixels of an image at which a blur is computed: every `step`th one each way, and `margin` more around the image. Grid
/// pixel `j` stands for the image's pixels from `(j - margin) · step` on, and its centre is theirs.
struct GaussianGrid: Sendable {
    let source: PixelSize
    let format: PixelFormat
    let bytesPerRow: Int
    let step: Int
    let margin: Int
    let kernel: GaussianKernel
    let size: PixelSize

    init(source: Bitmap, sigma: Double, step: Int = 1, margin: Int = 0) {
        (self.source, format, bytesPerRow) = (source.size, source.format, source.bytesPerRow)
        (self.step, self.margin) = (step, margin)
        // The centre of an odd number of pixels is a pixel's, that of an even number lies between two.
        kernel = GaussianKernel(sigma: sigma, phase: step & 1 == 1 ? 0 : 0.5)
        size = PixelSize(
            width: (source.width + step - 1) / step + 2 * margin, height: (source.height + step - 1) / step + 2 * margin)
    }

    /// The image's pixel under the first tap of grid pixel `j`; may lie outside.
    func firstPixel(_ j: Int) -> Int { (j - margin) * step + (step - 1) / 2 - kernel.radius }
}
