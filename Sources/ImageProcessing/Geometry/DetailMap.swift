internal import ImageCore
internal import ImageKernels

/// The detail at each position of an image: in a copy of at most 96 pixels a side, the differences to the right and the
/// lower neighbour in each channel. Edges and changes of colour count, flat and transparent areas do not.
struct DetailMap {
    private let source: PixelSize
    private let size: PixelSize
    /// Sums of all detail above and to the left (a summed-area table), one wider and higher than the copy.
    private var sums: [Double]

    init(_ bitmap: Bitmap, context: ProcessingContext) throws {
        source = bitmap.size
        let geometry = ResizeGeometry(source: bitmap.size, box: PixelSize(width: 96, height: 96), mode: .fit)
        let small = try Resampler.resize(
            bitmap, to: geometry, filter: .box, threads: context.threads, cancellation: context.cancellation
        ).withColorChannels().convertedToRGBA8()
        size = small.size
        let stride = size.width + 1
        sums = [Double](repeating: 0, count: stride * (size.height + 1))
        unsafe small.withUnsafePixels { pixels in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let here = y * small.bytesPerRow + x * 4
                    let right = x + 1 < size.width ? here + 4 : here
                    let below = y + 1 < size.height ? here + small.bytesPerRow : here
                    var detail = 0.0
                    for c in 0..<3 {
                        let level = unsafe Double(pixels[here + c])
                        unsafe detail += abs(level - Double(pixels[right + c])) + abs(level - Double(pixels[below + c]))
                    }
                    sums[(y + 1) * stride + x + 1] =
                        detail + sums[y * stride + x + 1] + sums[(y + 1) * stride + x] - sums[y * stride + x]
                }
            }
        }
    }

    /// Returns the position at which a part of that size, in pixels of the source, has the most detail; of several, the
    /// one nearest to the middle.
    func busiestPlace(for part: PixelSize) -> (x: Int, y: Int) {
        let scaleX = Double(size.width) / Double(source.width)
        let scaleY = Double(size.height) / Double(source.height)
        let width = max(1, min(size.width, Int((Double(part.width) * scaleX).rounded())))
        let height = max(1, min(size.height, Int((Double(part.height) * scaleY).rounded())))
        var best = (detail: -1.0, distance: Double.infinity, x: 0, y: 0)
        for y in 0...size.height - height {
            for x in 0...size.width - width {
                let found = detail(x, y, width, height)
                let (dx, dy) = (2 * x + width - size.width, 2 * y + height - size.height)
                let distance = Double(dx * dx + dy * dy)
                let isMore = found > best.detail + 1e-9
                if isMore || found > best.detail - 1e-9 && distance < best.distance { best = (found, distance, x, y) }
            }
        }
        func scaled(_ place: Int, _ room: Int, _ fullRoom: Int) -> Int {
            room == 0 ? fullRoom / 2 : Int((Double(place) / Double(room) * Double(fullRoom)).rounded())
        }
        return (
            scaled(best.x, size.width - width, source.width - part.width),
            scaled(best.y, size.height - height, source.height - part.height)
        )
    }

    private func detail(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Double {
        let stride = size.width + 1
        return sums[(y + height) * stride + x + width] - sums[y * stride + x + width] - sums[(y + height) * stride + x]
            + sums[y * stride + x]
    }
}
