internal import CCalotypeKernels
internal import ImageCore

/// Blurs an image at the pixels of a grid: vertically first, then horizontally. Each thread has its own instance, which allocates
/// its memory when it is created.
@safe final class GaussianRows {
    private let grid: GaussianGrid
    private let path: KernelPath
    private let rows: UnsafeMutablePointer<UnsafeRawPointer?>
    /// The line with the pixels at its ends repeated as far as the kernel reaches.
    private let line: UnsafeMutablePointer<Float>
    private let smooth: UnsafeMutablePointer<Float>
    private let axis: ResampleWeights
    /// Pixels repeated before the line.
    private let lead: Int
    /// Pixels repeated after the line, and pixels that the kernels may read after those.
    private let tail: Int

    init(grid: GaussianGrid, path: KernelPath) {
        (self.grid, self.path) = (grid, path)
        let channels = grid.format.channels
        let lead = max(0, -grid.firstPixel(0))
        self.lead = lead
        tail = max(0, grid.firstPixel(grid.size.width - 1) + grid.kernel.weights.count - grid.source.width)
        axis = ResampleWeights(
            first: (0..<grid.size.width).map { grid.firstPixel($0) + lead }, taps: grid.kernel.taps, weights: grid.kernel.weights)
        unsafe rows = .allocate(capacity: grid.kernel.taps)
        unsafe rows.initialize(repeating: nil, count: grid.kernel.taps)
        unsafe line = .allocate(capacity: (lead + grid.source.width + tail) * channels)
        unsafe smooth = .allocate(capacity: grid.size.width * channels)
    }

    deinit {
        unsafe rows.deallocate()
        unsafe line.deallocate()
        unsafe smooth.deallocate()
    }

    /// Writes row `y` of the grid.
    ///
    /// - Parameter pixels: all rows of the source.
    func write(_ y: Int, of pixels: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
        let channels = grid.format.channels
        for tap in 0..<grid.kernel.taps {
            let row = min(grid.source.height - 1, max(0, grid.firstPixel(y) + tap))
            unsafe rows[tap] = pixels + row * grid.bytesPerRow
        }
        let start = unsafe line + lead * channels
        unsafe grid.kernel.weights.withUnsafeBufferPointer { buffer in
            guard let weights = buffer.baseAddress else { return }
            unsafe LineKernels.combineRows(
                rows, weights, taps: grid.kernel.taps, grid.source.width * channels, grid.format, path, into: start)
            unsafe LineKernels.repeatEnds(start, pixels: grid.source.width, channels: channels, lead: lead, tail: tail)
            guard grid.step == 1 else {
                return unsafe LineKernels.combineColumns(line, axis, grid.format, path, into: target)
            }
            unsafe convolve(weights, into: target)
        }
    }

    /// Blurs the line if every pixel is on the grid. The weights are symmetric, which halves the number of products.
    private func convolve(_ weights: UnsafePointer<Float>, into target: UnsafeMutableRawPointer) {
        let (taps, channels, count) = (grid.kernel.taps, grid.format.channels, grid.size.width * grid.format.channels)
        if path == .swift {
            unsafe SwiftPixelKernels.convolve(line, weights, taps: taps, channels: channels, count: count, into: smooth)
        } else {
            unsafe clt_convolve(path.level, line, weights, taps, channels, count, smooth)
        }
        unsafe LineKernels.round(smooth, count, grid.format, path, into: target)
    }
}
