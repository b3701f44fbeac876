internal import ImageCore

/// The transfer curve of sRGB as tables. Linear levels need 16 bits, because the darkest of the 256 encoded levels differ by less
/// than one of 256 linear levels.
private enum LinearLight {
    /// The linear level of each of 256 or 65,536 encoded ones.
    static func decodingTable(levels: Int) -> [UInt16] {
        (0..<levels).map { UInt16((TransferCurve.linear(Double($0) / Double(levels - 1)) * 65535).rounded()) }
    }

    /// The encoded level of each of 65,536 linear ones, of 256 or 65,536.
    static func encodingTable(levels: Int) -> [UInt16] {
        (0...65535).map { UInt16((TransferCurve.encoded(Double($0) / 65535) * Double(levels - 1)).rounded()) }
    }
}

extension Bitmap {
    /// The image in linear light, at 16 bits, premultiplied or opaque.
    func linearized(cancellation: CancellationToken?) throws -> Bitmap {
        try unpremultiplied().converted(
            to: format.channels == 1 ? .gray16 : .rgba16, LinearLight.decodingTable(levels: fullLevel + 1),
            cancellation: cancellation)
    }

    /// The encoded image, in the format given, of one in linear light.
    func encoded(as format: PixelFormat, cancellation: CancellationToken?) throws -> Bitmap {
        try unpremultiplied().converted(
            to: format, LinearLight.encodingTable(levels: format.isWide ? 65536 : 256), cancellation: cancellation)
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
