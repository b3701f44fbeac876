internal import CCalotypeKernels
public import ImageCore
internal import CalotypeSystem

extension Bitmap {
    /// Returns the image rotated clockwise about its centre. The canvas grows to contain it, and its corners are transparent.
    ///
    /// Multiples of 90° are exact. Other angles are interpolated with the cubic of Catmull and Rom, including the edges, which
    /// are therefore smooth.
    ///
    /// - Parameters:
    ///   - degrees: any finite angle.
    ///   - threads: how many threads to use; 1.
    ///   - cancellation: checked between blocks of rows.
    /// - Throws: ``ImageError`` (`invalidRequest`) for an angle that is not finite; (`tooLarge`) if there is not enough memory;
    ///   `CancellationError`.
    public func rotated(degrees: Double, threads: Int = 1, cancellation: CancellationToken? = nil) throws -> Bitmap {
        guard degrees.isFinite else {
            throw ImageError(.invalidRequest, message: "An image cannot be rotated by \(degrees) degrees.")
        }
        if let orientation = Bitmap.orientation(degrees: degrees) {
            return try oriented(orientation, threads: threads, cancellation: cancellation)
        }
        let turn = degrees.remainder(dividingBy: 360)
        let source = try withColorChannels()
        let canvas = rotatedSize(degrees: degrees)
        let (sine, cosine) = (sin(turn * .pi / 180), cos(turn * .pi / 180))
        let path = KernelPath.current
        return try unsafe Bitmap(size: canvas, format: source.format, alpha: .premultiplied, colorSpace: colorSpace) {
            pixels, bytesPerRow in
            try unsafe source.withUnsafePixels { from in
                let (from, to) = unsafe (from.baseAddress.unsafelyUnwrapped, pixels.baseAddress.unsafelyUnwrapped)
                try RowQueue.run(rows: canvas.height, threads: threads) { queue in
                    for y in queue {
                        if y & 15 == 0 { try cancellation?.check() }
                        // The centre of the canvas pixel, rotated back about the centres of canvas and image.
                        let (dx, dy) = (0.5 - Double(canvas.width) / 2, Double(y) + 0.5 - Double(canvas.height) / 2)
                        let x0 = cosine * dx + sine * dy + Double(source.width) / 2 - 0.5
                        let y0 = cosine * dy - sine * dx + Double(source.height) / 2 - 0.5
                        unsafe source.sampleLine(
                            from, x: x0, y: y0, dx: cosine, dy: -sine, count: canvas.width, path, into: to + y * bytesPerRow)
                    }
                }
            }
        }
    }

    /// The orientation of a clockwise rotation by a multiple of 90°; `nil` for other angles.
    package static func orientation(degrees: Double) -> Orientation? {
        switch degrees.remainder(dividingBy: 360) {
        case 0: .up
        case 90: .right
        case 180, -180: .down
        case -90: .left
        default: nil
        }
    }

    /// The size of the smallest canvas that contains the rotated image.
    package func rotatedSize(degrees: Double) -> PixelSize {
        let turn = degrees.remainder(dividingBy: 360) * .pi / 180
        let (sine, cosine) = (abs(sin(turn)), abs(cos(turn)))
        // A rounding error must not make a side a pixel longer.
        func side(_ a: Int, _ b: Int) -> Int { max(1, Int((Double(a) * cosine + Double(b) * sine - 1e-6).rounded(.up))) }
        return PixelSize(width: side(width, height), height: side(height, width))
    }

    private func sampleLine(
        _ from: UnsafeRawPointer, x: Double, y: Double, dx: Double, dy: Double, count: Int, _ path: KernelPath,
        into to: UnsafeMutableRawPointer
    ) {
        let narrow = unsafe to.assumingMemoryBound(to: UInt8.self)
        let wide = unsafe to.assumingMemoryBound(to: UInt16.self)
        guard path != .swift else {
            for i in 0..<count {
                let (x, y) = (x + Double(i) * dx, y + Double(i) * dy)
                if format == .rgba8 {
                    unsafe SwiftPixelKernels.sample(from, width, height, bytesPerRow, x: x, y: y, into: narrow + i * 4)
                } else {
                    unsafe SwiftPixelKernels.sample(from, width, height, bytesPerRow, x: x, y: y, into: wide + i * 4)
                }
            }
            return
        }
        var image = unsafe clt_image(pixels: from, width: width, height: height, bytes_per_row: bytesPerRow)
        if format == .rgba8 {
            unsafe clt_sample_line_u8(path.level, &image, x, y, dx, dy, count, narrow)
        } else {
            unsafe clt_sample_line_u16(path.level, &image, x, y, dx, dy, count, wide)
        }
    }
}
