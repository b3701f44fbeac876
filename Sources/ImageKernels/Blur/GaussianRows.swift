internal import CCalotypeKernels
internal import ImageCore

/// Blurs an image at the pixels of a grid: vertically first, then horizontally. Each thread has its own instance, which
/// allocates its memory when it is created.
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
        tail = max(0, grid.firstPixel(grid.size.width - 1) + grid.weights.count - grid.source.width)
        axis = ResampleWeights(
            first: (0..<grid.size.width).map { grid.firstPixel($0) + lead }, taps: grid.taps, weights: grid.weights)
        unsafe rows = .allocate(capacity: grid.taps)
        unsafe rows.initialize(repeating: nil, count: grid.taps)
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
        let (format, channels, taps) = (grid.format, grid.format.channels, grid.taps)
        for tap in 0..<taps {
            let row = min(grid.source.height - 1, max(0, grid.firstPixel(y) + tap))
            unsafe rows[tap] = pixels + row * grid.bytesPerRow
        }
        unsafe clt_combine_rows(
            path.level, format.isWide ? 2 : 1, rows, grid.weights, taps, grid.source.width * channels, line + lead * channels, nil
        )
        repeatEnds()
        guard grid.step == 1 else {
            let result = unsafe PixelSamples(target, isWide: format.isWide)
            return unsafe PixelKernels.combineColumns(line, axis, channels: channels, path, into: result)
        }
        // Every pixel is on the grid, so that the line, moved by one pixel for each tap, is combined as rows are.
        for tap in 0..<taps { unsafe rows[tap] = UnsafeRawPointer(line + tap * channels) }
        let count = grid.size.width * channels
        unsafe clt_combine_rows(path.level, 4, rows, grid.weights, taps, count, smooth, nil)
        unsafe clt_round(path.level, format.isWide, smooth, count, target)
    }

    /// Repeats the pixels at the ends of the line.
    private func repeatEnds() {
        let channels = grid.format.channels
        let (start, end) = (lead * channels, (lead + grid.source.width) * channels)
        for i in 0..<start { unsafe line[i] = line[start + i % channels] }
        for i in 0..<tail * channels { unsafe line[end + i] = line[end - channels + i % channels] }
    }
}
