public import ImageCore

extension Bitmap {
    /// Returns the image blurred by a Gaussian. Beyond its edges, the pixels at the edge are repeated.
    ///
    /// Below σ = 8, the Gaussian is computed at every pixel, out to 3σ. From there, it is computed exactly at every
    /// ⌊σ/4⌋th pixel and interpolated with a cubic. Such a blur changes so slowly that the result is within one level,
    /// and the time does not grow with σ.
    ///
    /// - Parameters:
    ///   - sigma: the standard deviation, in pixels; from 0 (nothing changes) to 1,000.
    ///   - threads: how many threads to use; 1.
    ///   - cancellation: checked between blocks of rows.
    /// - Throws: ``ImageError`` (`invalidRequest`) for a sigma outside the range; (`tooLarge`) if there is not enough
    ///   memory; `CancellationError`.
    public func blurred(sigma: Double, threads: Int = 1, cancellation: CancellationToken? = nil) throws -> Bitmap {
        guard sigma >= 0, sigma <= 1000 else {
            throw ImageError(.invalidRequest, message: "A blur's sigma must be from 0 to 1000 pixels, not \(sigma).")
        }
        let source = try premultiplied()
        if sigma < Self.exactSigmas.lowerBound { return source }
        if Self.exactSigmas.contains(sigma) {
            return try unsafe source.blurred(
                on: GaussianGrid(source: source, sigma: sigma), threads: threads, cancellation: cancellation)
        }
        let step = Int(sigma / 4)
        // The interpolation needs two pixels beyond each edge.
        let grid = GaussianGrid(source: source, sigma: sigma, step: step, margin: 2)
        let coarse = try unsafe source.blurred(on: grid, threads: threads, cancellation: cancellation)
        var geometry = ResizeGeometry(source: grid.size, box: size, mode: .exact, upscales: true)
        (geometry.x, geometry.y) = (Double(grid.margin), Double(grid.margin))
        geometry.width = Double(width) / Double(step)
        geometry.height = Double(height) / Double(step)
        return try Resampler.resize(coarse, to: geometry, filter: .catmullRom, threads: threads, cancellation: cancellation)
    }

    /// The σ at which the Gaussian is computed at every pixel; a smaller one has no visible effect.
    private static let exactSigmas = 0.1..<8.0

    /// Returns the image sharpened by an unsharp mask: its difference from a blurred image is added, multiplied by
    /// `amount`.
    ///
    /// - Parameters:
    ///   - sigma: the standard deviation of the blur, in pixels.
    ///   - amount: 0 changes nothing, 1 doubles the detail; from 0 to 100.
    ///   - threshold: differences up to this, from 0 to 1 of the full level, are not changed.
    ///   - threads: how many threads to use; 1.
    ///   - cancellation: checked between blocks of rows.
    /// - Throws: ``ImageError`` (`invalidRequest`) for parameters outside their range; (`tooLarge`) if there is not
    ///   enough memory; `CancellationError`.
    public func sharpened(
        sigma: Double, amount: Double, threshold: Double = 0, threads: Int = 1, cancellation: CancellationToken? = nil
    ) throws -> Bitmap {
        guard amount >= 0, amount <= 100, threshold >= 0, threshold <= 1 else {
            throw ImageError(
                .invalidRequest,
                message: "Sharpening needs an amount from 0 to 100 and a threshold from 0 to 1, not \(amount) and \(threshold).")
        }
        let source = try premultiplied()
        let path = KernelPath.current
        return try unsafe source.withUnsafePixels { pixels in
            func sharpen(_ y: Int, _ row: PixelSamples) {
                let original = unsafe PixelSamples(
                    reading: pixels.baseAddress.unsafelyUnwrapped + y * source.bytesPerRow, isWide: format.isWide)
                unsafe PixelKernels.sharpen(
                    row, original, width, channels: format.channels, amount: Float(amount),
                    threshold: Float(threshold * Double(fullLevel)), path)
            }
            guard Self.exactSigmas.contains(sigma) else {
                let soft = try source.blurred(sigma: sigma, threads: threads, cancellation: cancellation)
                return try unsafe soft.editingRows(threads: threads, cancellation: cancellation, sharpen)
            }
            // Each row is sharpened when it is blurred, so that the blurred image is never in memory.
            return try unsafe source.blurred(
                on: GaussianGrid(source: source, sigma: sigma), threads: threads, cancellation: cancellation, sharpen)
        }
    }

    /// Returns the blurred image at the pixels of a grid.
    ///
    /// - Parameter change: edits each row, on several threads at the same time.
    private func blurred(
        on grid: GaussianGrid, threads: Int, cancellation: CancellationToken?,
        _ change: (_ y: Int, _ row: PixelSamples) -> Void = { _, _ in }
    ) throws -> Bitmap {
        let path = KernelPath.current
        return try unsafe makingRows(size: grid.size, threads: threads, block: 4, cancellation: cancellation) {
            rows, from, to, bytesPerRow in
            let blur = GaussianRows(grid: grid, path: path)
            for y in rows {
                let row = unsafe to + y * bytesPerRow
                unsafe blur.write(y, of: from, to: row)
                unsafe change(y, PixelSamples(row, isWide: format.isWide))
            }
        }
    }
}
