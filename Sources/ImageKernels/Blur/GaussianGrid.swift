internal import ImageCore

/// The grid of pixels at which a blur is computed: every `step`th pixel in both directions, and `margin` grid pixels around the
/// image. Grid pixel `j` covers the `step` pixels of the image from `(j - margin) · step`, and has the same centre.
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
        // The centre of an odd number of pixels is the centre of a pixel; that of an even number lies between two pixels.
        kernel = GaussianKernel(sigma: sigma, phase: step & 1 == 1 ? 0 : 0.5)
        size = PixelSize(
            width: (source.width + step - 1) / step + 2 * margin, height: (source.height + step - 1) / step + 2 * margin)
    }

    /// The pixel of the image at the first tap of grid pixel `j`. It may lie outside of the image.
    func firstPixel(_ j: Int) -> Int { (j - margin) * step + (step - 1) / 2 - kernel.radius }
}
