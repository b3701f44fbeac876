internal import CCalotypeKernels
public import ImageCore

extension Bitmap {
    /// Returns the image with another drawn over it (the operator *over* of Porter and Duff, "Compositing Digital
    /// Images", 1984).
    ///
    /// - Parameters:
    ///   - other: the image to draw. It is clipped to this image and converted to its depth.
    ///   - x: the left edge of `other`, in pixels; may be negative.
    ///   - y: the top edge of `other`, in pixels; may be negative.
    ///   - opacity: the factor of the alpha of `other`; from 0 to 1.
    ///   - threads: how many threads to use; 1.
    ///   - cancellation: checked between blocks of rows.
    /// - Throws: ``ImageError`` (`invalidRequest`) for an opacity outside 0 to 1; (`tooLarge`) if there is not enough
    ///   memory; `CancellationError`.
    public func overlaid(
        with other: Bitmap, x: Int, y: Int, opacity: Double = 1, threads: Int = 1, cancellation: CancellationToken? = nil
    ) throws -> Bitmap {
        guard x < width, y < height, x > -other.width, y > -other.height else { return try withColorChannels() }
        return try overlaid(with: other, opacity: opacity, threads: threads, cancellation: cancellation) { row, lay in
            if row >= y, row - y < other.height { lay(x, row - y, other.width) }
        }
    }

    /// Draws parts of the rows of another image over the rows of this one.
    ///
    /// - Parameter pieces: called for each row, on several threads at the same time. It calls its second argument for
    ///   each part with the position in the row of this image, which may be negative, the row of `other`, and the
    ///   number of pixels.
    package func overlaid(
        with other: Bitmap, opacity: Double, threads: Int, cancellation: CancellationToken?,
        pieces: (_ row: Int, _ lay: (_ x: Int, _ line: Int, _ count: Int) -> Void) -> Void
    ) throws -> Bitmap {
        guard opacity >= 0, opacity <= 1 else {
            throw ImageError(.invalidRequest, message: "An overlay's opacity must be from 0 to 1, not \(opacity).")
        }
        let base = try withColorChannels()
        let top = try other.withColorChannels().converted(to: base.format)
        let path = KernelPath.current
        return try unsafe base.editingRows(threads: threads, cancellation: cancellation) { y, row in
            unsafe top.withUnsafePixels { pixels in
                pieces(y) { x, line, count in
                    let (left, right) = (max(0, x), min(base.width, x + count))
                    guard left < right else { return }
                    let pixel = base.format.bytesPerPixel
                    let above = unsafe pixels.baseAddress.unsafelyUnwrapped + (line * top.bytesPerRow + (left - x) * pixel)
                    unsafe clt_composite(
                        path.level, row.isWide, row.base + left * pixel, above, right - left, Float(opacity))
                }
            }
        }
    }

    /// Returns an image of one colour, in RGBA.
    ///
    /// - Parameters:
    ///   - size: the size in pixels; both sides at least 1.
    ///   - color: the colour, in the colour space of the image.
    ///   - other: the image whose depth and colour space the result has; 8 bits and sRGB without it.
    /// - Throws: ``ImageError`` (`tooLarge`) if a side is less than 1 or there is not enough memory.
    public static func filled(_ size: PixelSize, with color: PixelColor, like other: Bitmap? = nil) throws -> Bitmap {
        let isWide = other?.format.isWide ?? false
        let pixel = color.premultiplied(most: isWide ? 65535 : 255)
        return try unsafe Bitmap(
            size: size, format: isWide ? .rgba16 : .rgba8, alpha: color.alpha < 1 ? .premultiplied : .opaque,
            colorSpace: other?.colorSpace ?? .sRGB
        ) { pixels, bytesPerRow in
            let first = unsafe pixels.baseAddress.unsafelyUnwrapped
            let samples = unsafe PixelSamples(first, isWide: isWide)
            for i in 0..<size.width * 4 { unsafe samples[i] = pixel[i & 3] }
            for y in 1..<max(1, size.height) {
                unsafe (first + y * bytesPerRow).copyMemory(from: first, byteCount: bytesPerRow)
            }
        }
    }

    /// Returns the image in front of a background of one colour.
    ///
    /// - Parameters:
    ///   - color: the colour of the background.
    ///   - threads: how many threads to use; 1.
    ///   - cancellation: checked between blocks of rows.
    /// - Throws: ``ImageError`` (`tooLarge`) if there is not enough memory; `CancellationError`.
    public func flattened(
        onto color: PixelColor, threads: Int = 1, cancellation: CancellationToken? = nil
    ) throws -> Bitmap {
        if alpha == .opaque { return self }
        let background = try Bitmap.filled(size, with: color, like: self)
        return try background.overlaid(with: self, x: 0, y: 0, threads: threads, cancellation: cancellation)
    }
}
