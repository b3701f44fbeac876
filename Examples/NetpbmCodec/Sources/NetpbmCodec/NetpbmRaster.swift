import ImageCore
import ImageKernels

extension NetpbmHeader {
    /// The number of rows of which all samples have arrived. In a text file, they are counted when they are read.
    func rows(of bytes: UnsafeRawBufferPointer) -> Int {
        isText ? size.height : min(size.height, (bytes.count - rasterStart) / rowBytes)
    }

    /// Makes the image. It is scaled while its rows are read, so that the full size is never in memory.
    ///
    /// - Parameters:
    ///   - bytes: the file, or its beginning.
    ///   - count: the number of rows to read; `nil` for ``rows(of:)``.
    func image(of bytes: UnsafeRawBufferPointer, _ options: DecodeOptions, rows count: Int? = nil) throws -> DecodedImage {
        let rows = count ?? rows(of: bytes)
        let isWhole = rows == size.height
        guard isWhole || options.allowsPartial && rows > 0 else { throw ImageError.netpbm(.truncated, "ends within its image") }
        // Missing rows are transparent, so that an image that lacks some has alpha.
        let (isGray, isOpaque) = (depth == 1 && isWhole, !hasAlpha && isWhole)
        let isDeep = sampleBytes == 2 && !options.convertsTo8Bit
        let format: PixelFormat = isGray ? (isDeep ? .gray16 : .gray8) : isDeep ? .rgba16 : .rgba8
        let geometry = ResizeGeometry(source: size, box: options.targetSize ?? size, mode: options.contentMode)
        let isScaled = !geometry.isIdentity(for: size)
        // The resampler needs premultiplied pixels.
        let alpha: AlphaMode = isOpaque ? .opaque : options.alpha == .straight && !isScaled ? .straight : .premultiplied
        // The result, and a row as stored.
        try options.limits.check(geometry.output, bytesPerPixel: format.bytesPerPixel)
        try options.limits.check(PixelSize(width: size.width, height: 1), bytesPerPixel: format.bytesPerPixel)
        let resampler = isScaled ? try RowResampler(source: size, format: format, to: geometry) : nil
        var (text, y) = (NetpbmReader(bytes: bytes, position: rasterStart), 0)
        do {
            let bitmap = try Bitmap(size: geometry.output, format: format, alpha: alpha) { pixels, bytesPerRow in
                // The alpha of files that have none stays at its maximum.
                var line = [UInt8](repeating: .max, count: size.width * format.bytesPerPixel)
                while y < rows {
                    try options.checkCancellation()
                    try line.withUnsafeMutableBytes { line in
                        let row = isText ? bytes[..<0] : bytes[(rasterStart + y * rowBytes)...].prefix(rowBytes)
                        try convert(UnsafeRawBufferPointer(rebasing: row), &text, to: line, format)
                        if alpha == .premultiplied { PixelRow.premultiply(line, format: format) }
                        let line = UnsafeRawBufferPointer(line)
                        if let resampler { return try resampler.append(line, to: pixels, bytesPerRow: bytesPerRow) }
                        UnsafeMutableRawBufferPointer(rebasing: pixels[(y * bytesPerRow)...]).copyMemory(from: line)
                    }
                    y += 1
                }
            }
            let result = options.alpha == .straight ? try bitmap.unpremultiplied() : bitmap
            return DecodedImage(result, format: .netpbm, isPartial: !isWhole)
        } catch let error as ImageError where error.code == .truncated && options.allowsPartial {
            // The text ends within this row.
            return try image(of: bytes, options, rows: y)
        }
    }

    /// Converts a row, which is binary or comes from the text, to straight pixels.
    private func convert(
        _ row: UnsafeRawBufferPointer, _ text: inout NetpbmReader, to line: UnsafeMutableRawBufferPointer, _ format: PixelFormat
    ) throws {
        let isDeep = format.bytesPerPixel > format.channels
        for index in 0..<size.width * depth {
            let sample =
                switch kind {
                case 1...3: try text.number(isDigit: isBitmap)
                case 4: Int(row[index / 8] >> UInt8(7 - index % 8)) & 1
                default: sampleBytes == 1 ? Int(row[index]) : Int(row[2 * index]) << 8 | Int(row[2 * index + 1])
                }
            guard sample <= maxval else { throw ImageError.netpbm(.corrupt, "has a sample above \(maxval)") }
            let level = ((isBitmap ? 1 - sample : sample) * (isDeep ? 65_535 : 255) + maxval / 2) / maxval
            // Grey is repeated in red, green and blue. Alpha is the last sample.
            let (pixel, channel) = (index / depth * format.channels, index % depth)
            let isAlpha = hasAlpha && channel == depth - 1
            for target in isAlpha ? 3...3 : depth < 3 && format.channels == 4 ? 0...2 : channel...channel {
                if isDeep {
                    line.storeBytes(of: UInt16(level), toByteOffset: 2 * (pixel + target), as: UInt16.self)
                } else {
                    line[pixel + target] = UInt8(level)
                }
            }
        }
    }
}
