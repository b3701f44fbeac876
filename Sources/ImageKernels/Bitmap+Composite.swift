internal import CCalotypeKernels
public import ImageCore

extension Bitmap {
    /// Returns the image with another drawn over it (the operator *over* of Porter and Duff, "Compositing Digital Images", 1984).
    ///
    /// - Parameters:
    ///   - other: the image to draw. It is clipped to this image and converted to its depth.
    ///   - x: the left edge of `other`, in pixels; may be negative.
    ///   - y: the top edge of `other`, in pixels; may be negative.
    ///   - opacity: the factor of the alpha of `other`; from 0 to 1.
    ///   - threads: how many threads to use; 1.
    ///   - cancellation: checked between blocks of rows.
    /// - Throws: ``ImageError`` (`invalidRequest`) for an opacity outside 0 to 1; (`tooLarge`) if there is not enough memory;
    ///   `CancellationError`.
    public func overlaid(
        with other: Bitmap, x: Int, y: Int, opacity: Double = 1, threads: Int = 1, cancellation: CancellationToken? = nil
    ) throws -> Bitmap {
        guard x < width, y < height, x > -other.width, y > -other.height else { return try withColorChannels() }
        return try overlaid(with: other, opacity: opacity, threads: threads, cancellation: cancellation) { row, lay in
            if row >= y, row - y < other.height { lay(x, row - y, 0..<other.width) }
        }
    }

    /// Draws parts of the rows of another image over the rows of this one.
    ///
    /// - Parameter pieces: called for each row, on several threads at the same time. It calls its second argument for each part
    ///   with the position in the row of this image, which may be negative, the row of `other`, and its columns.
    package func overlaid(
        with other: Bitmap, opacity: Double, threads: Int, cancellation: CancellationToken?,
        pieces: (_ row: Int, _ lay: (_ x: Int, _ line: Int, _ columns: Range<Int>) -> Void) -> Void
    ) throws -> Bitmap {
        guard opacity >= 0, opacity <= 1 else {
            throw ImageError(.invalidRequest, message: "An overlay's opacity must be from 0 to 1, not \(opacity).")
        }
        let base = try withColorChannels()
        let top = try other.withColorChannels().converted(toDepthOf: base)
        let path = KernelPath.current
        let size = base.format.bytesPerPixel
        return try unsafe base.editingRows(threads: threads, cancellation: cancellation) { y, row in
            unsafe top.withUnsafePixels { pixels in
                pieces(y) { x, line, columns in
                    let left = max(0, x)
                    let right = min(base.width, x + columns.count)
                    guard left < right else { return }
                    let below = unsafe UnsafeMutableRawBufferPointer(rebasing: row[left * size..<right * size])
                    let start = line * top.bytesPerRow + (columns.lowerBound + left - x) * size
                    let above = unsafe UnsafeRawBufferPointer(rebasing: pixels[start..<start + (right - left) * size])
                    unsafe composite(below, above, isWide: base.format == .rgba16, opacity: Float(opacity), path)
                }
            }
        }
    }

    private func composite(
        _ below: UnsafeMutableRawBufferPointer, _ above: UnsafeRawBufferPointer, isWide: Bool, opacity: Float, _ path: KernelPath
    ) {
        guard let to = below.baseAddress, let from = above.baseAddress else { return }
        if isWide {
            let (to, from) = unsafe (to.assumingMemoryBound(to: UInt16.self), from.assumingMemoryBound(to: UInt16.self))
            if path == .swift {
                unsafe SwiftPixelKernels.composite(to, from, below.count / 8, opacity)
            } else {
                unsafe clt_composite_u16(path.level, to, from, below.count / 8, opacity)
            }
        } else {
            let (to, from) = unsafe (to.assumingMemoryBound(to: UInt8.self), from.assumingMemoryBound(to: UInt8.self))
            if path == .swift {
                unsafe SwiftPixelKernels.composite(to, from, below.count / 4, opacity)
            } else {
                unsafe clt_composite_u8(path.level, to, from, below.count / 4, opacity)
            }
        }
    }

    /// RGBA with the depth of `other`.
    package func converted(toDepthOf other: Bitmap) throws -> Bitmap {
        if fullLevel == other.fullLevel { return self }
        if fullLevel == 65535 { return try convertedToRGBA8() }
        return try unsafe Bitmap(size: size, format: .rgba16, alpha: alpha, colorSpace: colorSpace) { pixels, bytesPerRow in
            unsafe withUnsafePixels { source in
                for y in 0..<height {
                    for i in 0..<width * 4 {
                        let wide = unsafe UInt16(source[y * self.bytesPerRow + i]) * 257
                        unsafe pixels.storeBytes(of: wide, toByteOffset: y * bytesPerRow + i * 2, as: UInt16.self)
                    }
                }
            }
        }
    }

    /// An image of one colour: RGBA with the depth of `other`.
    package static func filled(_ size: PixelSize, with color: PixelColor, like other: Bitmap) throws -> Bitmap {
        let pixel = color.premultiplied(most: Double(other.fullLevel))
        let isWide = other.fullLevel == 65535
        return try unsafe Bitmap(
            size: size, format: isWide ? .rgba16 : .rgba8, alpha: color.alpha < 1 ? .premultiplied : .opaque,
            colorSpace: other.colorSpace
        ) { pixels, bytesPerRow in
            for i in 0..<size.width * 4 {
                if isWide {
                    unsafe pixels.storeBytes(of: UInt16(pixel[i & 3]), toByteOffset: i * 2, as: UInt16.self)
                } else {
                    unsafe pixels[i] = UInt8(pixel[i & 3])
                }
            }
            let first = unsafe UnsafeRawBufferPointer(rebasing: pixels[..<bytesPerRow])
            for y in 1..<max(1, size.height) {
                unsafe UnsafeMutableRawBufferPointer(rebasing: pixels[(y * bytesPerRow)...]).copyMemory(from: first)
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
