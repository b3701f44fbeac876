internal import CCalotypeKernels
public import ImageCore
internal import CalotypeSystem

extension Bitmap {
    /// Returns the image rotated clockwise about its centre. The canvas grows to contain it, and its corners are
    /// transparent.
    ///
    /// Multiples of 90° are exact. Other angles are interpolated with the cubic of Catmull and Rom, including the
    /// edges, which are therefore smooth.
    ///
    /// - Parameters:
    ///   - degrees: any finite angle.
    ///   - threads: how many threads to use; 1.
    ///   - cancellation: checked between blocks of rows.
    /// - Throws: ``ImageError`` (`invalidRequest`) for an angle that is not finite; (`tooLarge`) if there is not enough
    ///   memory; `CancellationError`.
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
        return try unsafe source.makingRows(
            size: canvas, alpha: .premultiplied, threads: threads, cancellation: cancellation
        ) { rows, from, to, bytesPerRow in
            var image = unsafe clt_image(
                pixels: from, width: source.width, height: source.height, bytes_per_row: source.bytesPerRow)
            for y in rows {
                // The centre of the canvas pixel, rotated back about the centres of canvas and image.
                let (dx, dy) = (0.5 - Double(canvas.width) / 2, Double(y) + 0.5 - Double(canvas.height) / 2)
                let startX = cosine * dx + sine * dy + Double(source.width) / 2 - 0.5
                let startY = cosine * dy - sine * dx + Double(source.height) / 2 - 0.5
                unsafe clt_sample_line(
                    path.level, source.format.isWide, &image, startX, startY, cosine, -sine, canvas.width, to + y * bytesPerRow)
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
}
