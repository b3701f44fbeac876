internal import ImageCore
internal import ImageDecoding
internal import ImageKernels

/// Makes the requested bitmap from a codec's rows: converts, scales down, and applies the orientation.
struct ImageAssembler {
    let stored: StoredImage
    let options: DecodeOptions
    private let geometry: ResizeGeometry?
    private let converter: RowConverter
    private let alpha: AlphaMode
    private let colorSpace: ColorSpace

    /// Checks the options and the limits before any memory of the image's size is allocated.
    ///
    /// - Parameter codecBytes: the memory of the codec in bytes.
    /// - Throws: ``ImageError`` when the options cannot be fulfilled or the image is beyond the limits.
    init(_ stored: StoredImage, options: DecodeOptions, codecBytes: Int = 0) throws(ImageError) {
        self.stored = stored
        self.options = options
        geometry = try stored.geometry(for: options)
        let format = stored.layout.pixelFormat(narrowed: options.convertsTo8Bit)
        let rows = geometry == nil || stored.deliversWhole ? stored.decodedSize.byteCount(format) : 0
        try options.limits.check(stored.limitedSize, holding: [codecBytes, rows, geometry?.output.byteCount(format) ?? 0])
        let transform: (any RowTransform)?
        (transform, colorSpace) = Self.color(of: stored, format: format, options: options)
        let isStraight = options.alpha == .straight && geometry == nil
        alpha = !stored.hasAlpha ? .opaque : isStraight ? .straight : .premultiplied
        converter = RowConverter(
            source: stored.layout, target: format, hasAlpha: stored.hasAlpha, ignoresAlpha: stored.ignoresAlpha,
            premultiplies: alpha == .premultiplied, transform: transform)
    }

    /// The conversion of colours, and the color space of the result.
    private static func color(
        of stored: StoredImage, format: PixelFormat, options: DecodeOptions
    ) -> ((any RowTransform)?, ColorSpace) {
        guard options.convertsToSRGB else {
            // CMYK is converted to RGB by formula, so its profile no longer applies.
            if stored.layout == .cmyk8 { return (nil, .sRGB) }
            let icc = stored.profile.icc.flatMap {
                ColorTransform.applies($0, toGray: stored.isGray || format.channels == 1) ? $0 : nil
            }
            return (nil, icc.map { .icc($0) } ?? .sRGB)
        }
        switch stored.profile {
        case .sRGB: return (nil, .sRGB)
        case .hdr(let signal): return (ToneMap(signal, from: stored.layout, to: format), .sRGB)
        case .icc(let icc):
            let isSmall = (stored.decodedSize.pixelCount ?? 0) < 1 << 16
            let transform = ColorTransform.make(
                icc, from: stored.layout, isGray: stored.isGray, to: format, isSmall: isSmall)
            return (transform, .sRGB)
        }
    }

    /// Decodes the image.
    ///
    /// - Throws: the error of `producer`, unless the options allow a partial image, or `CancellationError`.
    func assemble(_ producer: any RowProducer) throws -> DecodedImage {
        var (bitmap, failure) = try geometry.map { try decodeScaled(by: $0, from: producer) } ?? decodeWhole(from: producer)
        if let failure, !options.allowsPartial(after: failure) { throw failure }
        if failure != nil, alpha == .opaque {
            // Missing rows stay transparent.
            bitmap = bitmap.reinterpreted(alpha: .premultiplied)
        } else if stored.hasAlpha, converter.isOpaque, failure == nil {
            bitmap = bitmap.reinterpreted(alpha: .opaque)
        }
        try options.checkCancellation()
        if options.alpha == .straight { bitmap = try bitmap.unpremultiplied() }
        bitmap = try bitmap.oriented(stored.orientation)
        return DecodedImage(bitmap, format: stored.format, isPartial: failure != nil)
    }

    /// Decodes all rows into a bitmap of their size.
    private func decodeWhole(from producer: any RowProducer) throws -> (Bitmap, ImageError?) {
        let (size, batch) = (stored.decodedSize, batchRows)
        let scratch = converter.worksInPlace ? nil : try Scratch(rows: batch, rowBytes: size.width * stored.layout.bytesPerPixel)
        var failure: ImageError?
        let bitmap = try unsafe Bitmap(size: size, format: converter.target, alpha: alpha, colorSpace: colorSpace) {
            pixels, bytesPerRow in
            guard let base = pixels.baseAddress else { return }
            failure = try unsafe readRows(from: producer, batch: batch, until: size.height) { y in
                unsafe scratch.map { unsafe ($0.base, $0.stride) } ?? (base + y * bytesPerRow, bytesPerRow)
            } body: { y, row in
                unsafe converter.convert(row, to: base + y * bytesPerRow, width: size.width)
            }
        }
        return (bitmap, failure)
    }

    /// Scales the image while its rows arrive, and holds only the rows that the filter still needs.
    private func decodeScaled(by geometry: ResizeGeometry, from producer: any RowProducer) throws -> (Bitmap, ImageError?) {
        let width = stored.decodedSize.width
        let resampler = try RowResampler(source: stored.decodedSize, format: converter.target, to: geometry)
        let batch = batchRows
        let scratch = try Scratch(rows: batch, rowBytes: width * stored.layout.bytesPerPixel)
        let line = try Scratch(rows: 1, rowBytes: width * converter.target.bytesPerPixel)
        var failure: ImageError?
        let bitmap = try unsafe Bitmap(size: geometry.output, format: converter.target, alpha: alpha, colorSpace: colorSpace) {
            pixels, bytesPerRow in
            // The rows after the last one of the filter need not be decoded.
            failure = try unsafe readRows(from: producer, batch: batch, until: resampler.rows.upperBound) { _ in
                unsafe (scratch.base, scratch.stride)
            } body: { y, row in
                if resampler.rows.contains(y) { unsafe converter.convert(row, to: line.base, width: width) }
                try unsafe resampler.append(
                    UnsafeRawBufferPointer(start: line.base, count: line.stride), to: pixels, bytesPerRow: bytesPerRow)
            }
        }
        return (bitmap, failure)
    }

    /// Reads batches of rows into the memory that `place` returns, and passes each row to `body`. Returns the error of
    /// the image, if any.
    private func readRows(
        from producer: any RowProducer, batch: Int, until end: Int,
        place: (Int) -> (UnsafeMutableRawPointer, Int), body: (Int, UnsafeMutableRawPointer) throws -> Void
    ) throws -> ImageError? {
        var y = 0
        while y < end {
            try options.checkCancellation()
            let (base, stride) = unsafe place(y)
            let rowCount = min(batch, stored.decodedSize.height - y)
            let read = try unsafe producer.readRows(into: base, stride: stride, count: rowCount)
            for i in 0..<min(read.count, end - y) {
                if i & 63 == 63 { try options.checkCancellation() }
                try unsafe body(y + i, base + i * stride)
            }
            y += read.count
            if let failure = read.failure {
                if y == 0 { throw failure }
                return failure
            }
        }
        return producer.finish()
    }

    /// The number of rows that are decoded between two checks for cancellation: about 128 KB.
    private var batchRows: Int {
        if stored.deliversWhole { return stored.decodedSize.height }
        let rowBytes = stored.decodedSize.width * stored.layout.bytesPerPixel
        return min(stored.decodedSize.height, max(stored.fewestRows, (1 << 17) / max(1, rowBytes)))
    }
}
