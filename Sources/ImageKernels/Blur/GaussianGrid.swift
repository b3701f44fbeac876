internal import CalotypeSystem
internal import ImageCore

/// The grid of pixels at which a blur is computed: every `step`th pixel in both directions, and `margin` grid pixels
/// around the image. Grid pixel `j` covers the `step` pixels of the image from `(j - margin) · step`, and has the same
/// centre.
struct GaussianGrid: Sendable {
    let source: PixelSize
    let format: PixelFormat
    let bytesPerRow: Int
    let step: Int
    let margin: Int
    let size: PixelSize
    /// The weights of the Gaussian on whole pixels, out to 3σ, summing to one, and padded with zeros to a multiple of
    /// 4.
    let weights: [Float]
    /// The number of weights without the padding.
    let taps: Int
    /// Pixels from the first tap to the centre, rounded down.
    private let radius: Int

    init(source: Bitmap, sigma: Double, step: Int = 1, margin: Int = 0) {
        (self.source, format, bytesPerRow) = (source.size, source.format, source.bytesPerRow)
        (self.step, self.margin) = (step, margin)
        size = PixelSize(
            width: (source.width + step - 1) / step + 2 * margin, height: (source.height + step - 1) / step + 2 * margin)
        // The centre of an odd number of pixels is the centre of a pixel; that of an even number lies between two
        // pixels.
        let phase = step & 1 == 1 ? 0 : 0.5
        radius = Int((3 * sigma).rounded(.up))
        let values = (-radius...(phase == 0 ? radius : radius + 1)).map { offset -> Double in
            let distance = (Double(offset) - phase) / sigma
            return exp(-0.5 * distance * distance)
        }
        let sum = values.reduce(0, +)
        taps = values.count
        weights = values.map { Float($0 / sum) } + [Float](repeating: 0, count: (4 - values.count & 3) & 3)
    }

    /// The pixel of the image at the first tap of grid pixel `j`. It may lie outside of the image.
    func firstPixel(_ j: Int) -> Int { (j - margin) * step + (step - 1) / 2 - radius }
}
