internal import CCalotypeKernels
internal import ImageCore

/// An image on a canvas, at least one pixel of which lies on it.
struct CanvasLayer: Sendable {
    var bitmap: Bitmap
    let x: Int
    let y: Int
    let opacity: Float
    let mode: PixelBlendMode

    func converted(to format: PixelFormat) throws -> CanvasLayer {
        var layer = self
        layer.bitmap = try bitmap.withColorChannels().converted(to: format)
        return layer
    }

    /// Draws what the image has in a row of the canvas.
    func draw(on row: PixelSamples, _ canvasRow: Int, width: Int, _ path: KernelPath) {
        let line = canvasRow - y
        guard line >= 0, line < bitmap.height else { return }
        let (left, right) = (max(0, x), min(width, x + bitmap.width))
        let pixel = bitmap.format.bytesPerPixel
        unsafe bitmap.withUnsafePixels { pixels in
            let above = unsafe pixels.baseAddress.unsafelyUnwrapped + (line * bitmap.bytesPerRow + (left - x) * pixel)
            if mode == .normal {
                unsafe clt_composite(path.level, row.isWide, row.base + left * pixel, above, right - left, opacity)
            } else {
                unsafe blend(
                    PixelSamples(reading: above, isWide: row.isWide),
                    over: PixelSamples(row.base + left * pixel, isWide: row.isWide), count: right - left)
            }
        }
    }

    private func blend(_ top: PixelSamples, over below: PixelSamples, count: Int) {
        let most = unsafe Float(below.most)
        for first in stride(from: 0, to: 4 * count, by: 4) {
            let (topAlpha, belowAlpha) = unsafe (Float(top[first + 3]) * opacity / most, Float(below[first + 3]) / most)
            for i in first..<first + 4 {
                let level = unsafe mode.mix(Float(top[i]) * opacity / most, topAlpha, Float(below[i]) / most, belowAlpha)
                unsafe below[i] = Int((level * most).rounded())
            }
        }
    }
}
