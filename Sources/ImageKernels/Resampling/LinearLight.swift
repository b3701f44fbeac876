internal import ImageCore

// The transfer curve of sRGB as tables. Linear levels need 16 bits, because the darkest of the 256 encoded levels
// differ by less than one of 256 linear levels.
extension Bitmap {
    /// The image in linear light, at 16 bits, premultiplied or opaque.
    func linearized(cancellation: CancellationToken?) throws -> Bitmap {
        try unpremultiplied().converted(
            to: format.channels == 1 ? .gray16 : .rgba16,
            (0...fullLevel).map { UInt16((TransferCurve.linear(Double($0) / Double(fullLevel)) * 65535).rounded()) },
            cancellation: cancellation)
    }

    /// The encoded image, in the format given, of one in linear light.
    func encoded(as format: PixelFormat, cancellation: CancellationToken?) throws -> Bitmap {
        let most = format.isWide ? 65535.0 : 255
        return try unpremultiplied().converted(
            to: format, (0...65535).map { UInt16((TransferCurve.encoded(Double($0) / 65535) * most).rounded()) },
            cancellation: cancellation)
    }

    /// Straight samples through a table, except for alpha, then premultiplied.
    private func converted(to format: PixelFormat, _ table: [UInt16], cancellation: CancellationToken?) throws -> Bitmap {
        let (wasWide, isStraight, path) = (self.format.isWide, alpha == .straight, KernelPath.current)
        return try unsafe makingRows(
            format: format, alpha: isStraight ? .premultiplied : alpha, cancellation: cancellation
        ) { rows, from, to, bytesPerRow in
            for y in rows {
                let source = unsafe PixelSamples(reading: from + y * self.bytesPerRow, isWide: wasWide)
                let row = unsafe PixelSamples(to + y * bytesPerRow, isWide: format.isWide)
                for i in 0..<width * format.channels {
                    let isAlpha = format.channels == 4 && i & 3 == 3
                    unsafe row[i] = isAlpha ? row.scaled(source[i], isWide: wasWide) : Int(table[source[i]])
                }
                if isStraight { unsafe PixelKernels.premultiply(row, width, path) }
            }
        }
    }
}
