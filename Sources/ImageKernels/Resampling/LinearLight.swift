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
        let source = try unpremultiplied()
        let table = LinearLight.decodingTable(levels: fullLevel + 1)
        return try source.converted(
            to: format.channels == 1 ? .gray16 : .rgba16, alphaScale: 65535 / fullLevel, table, cancellation: cancellation)
    }

    /// The encoded image, in the format given, of one in linear light.
    func encoded(as format: PixelFormat, cancellation: CancellationToken?) throws -> Bitmap {
        let source = try unpremultiplied()
        let isWide = format.bytesPerPixel > format.channels
        let table = LinearLight.encodingTable(levels: isWide ? 65536 : 256)
        return try source.converted(to: format, alphaScale: isWide ? 1 : 0, table, cancellation: cancellation)
    }

    /// Straight samples through a table, then premultiplied.
    ///
    /// - Parameter alphaScale: the factor of alpha; 0 converts 16 bits to 8.
    private func converted(
        to format: PixelFormat, alphaScale: Int, _ table: [UInt16], cancellation: CancellationToken?
    ) throws -> Bitmap {
        let (isWide, wasWide) = (format.bytesPerPixel > format.channels, fullLevel == 65535)
        let used = width * format.bytesPerPixel
        let path = KernelPath.current
        let premultiplies = alpha == .straight
        return try unsafe Bitmap(
            size: size, format: format, alpha: premultiplies ? .premultiplied : alpha, colorSpace: colorSpace
        ) { pixels, bytesPerRow in
            try unsafe withUnsafePixels { source in
                for y in 0..<height {
                    if y & 15 == 0 { try cancellation?.check() }
                    let row = unsafe UnsafeMutableRawBufferPointer(rebasing: pixels[y * bytesPerRow..<y * bytesPerRow + used])
                    for i in 0..<width * format.channels {
                        let from = y * self.bytesPerRow
                        let level =
                            wasWide
                            ? unsafe Int(source.load(fromByteOffset: from + i * 2, as: UInt16.self))
                            : unsafe Int(source[from + i])
                        let isAlpha = format.channels == 4 && i & 3 == 3
                        let result =
                            !isAlpha ? Int(table[level]) : alphaScale == 0 ? (level * 255 + 32767) / 65535 : level * alphaScale
                        if isWide {
                            unsafe row.storeBytes(of: UInt16(result), toByteOffset: i * 2, as: UInt16.self)
                        } else {
                            unsafe row[i] = UInt8(result)
                        }
                    }
                    if premultiplies { unsafe PixelRow.premultiply(row, format: format, path: path) }
                }
            }
        }
    }
}
