import ImageCore
import ImageKernels

/// Makes the bitmap that was asked for out of a codec's rows: converts, scales down, turns upright.
struct PictureAssembler {
    let picture: StoredPicture
    let options: DecodeOptions
    private let geometry: ResizeGeometry?
    private let converter: RowConverter
    private let alpha: AlphaMode
    private let colorSpace: ColorSpace

    /// - Throws: ``ImageError`` where the options cannot be met or the picture is beyond the limits; nothing of its size
    ///   was allocated before.
    ///
    /// - Parameter codecBytes: what the codec holds besides.
    init(_ picture: StoredPicture, options: DecodeOptions, codecBytes: Int = 0) throws(ImageError) {
        self.picture = picture
        self.options = options
        geometry = try picture.geometry(for: options)
        let format = picture.layout.pixelFormat(narrowed: options.convertsTo8Bit)
        try options.limits.check(picture.size, holding: [codecBytes, picture.decodedSize.byteCount(format)])
        let transform: ColorTransform?
        (transform, colorSpace) = Self.color(of: picture, format: format, options: options)
        let isStraight = options.alpha == .straight && geometry == nil
        alpha = !picture.hasAlpha ? .opaque : isStraight ? .straight : .premultiplied
        converter = RowConverter(
            source: picture.layout, target: format, hasAlpha: picture.hasAlpha,
            premultiplies: alpha == .premultiplied && !picture.isPremultiplied, transform: transform)
    }

    /// How colours are converted, and the space that they are in afterwards.
    private static func color(
        of picture: StoredPicture, format: PixelFormat, options: DecodeOptions
    ) -> (ColorTransform?, ColorSpace) {
        guard let icc = picture.profile.icc else { return (nil, .sRGB) }
        if options.convertsToSRGB {
            let isSmall = (picture.decodedSize.pixelCount ?? 0) < 1 << 16
            return (ColorTransform(icc, from: picture.layout, to: format, isSmall: isSmall), .sRGB)
        }
        // Inks become RGB by formula, and then their profile no longer applies.
        if case .cmyk8 = picture.layout { return (nil, .sRGB) }
        return (nil, .icc(icc))
    }

    /// Decodes.
    ///
    /// - Throws: what `producer` found, unless the options allow the part that is there; `CancellationError`.
    func assemble(_ producer: any RowProducer) throws -> DecodedImage {
        var failure: ImageError?
        var bitmap = try unsafe Bitmap(
            size: picture.decodedSize, format: converter.target, alpha: alpha, colorSpace: colorSpace
        ) { pixels, bytesPerRow in
            guard let base = pixels.baseAddress else { return }
            failure = try unsafe fill(base, bytesPerRow, from: producer)
        }
        if let failure, !options.allowsPartial(after: failure) { throw failure }
        if failure != nil, alpha == .opaque {
            // Rows that are missing are clear.
            bitmap = bitmap.reinterpreted(alpha: .premultiplied)
        } else if picture.hasAlpha, converter.isOpaque, failure == nil {
            bitmap = bitmap.reinterpreted(alpha: .opaque)
        }
        try options.checkCancellation()
        if let geometry { bitmap = try Resampler.resize(bitmap, to: geometry, cancellation: options.cancellation) }
        if options.alpha == .straight { bitmap = try bitmap.unpremultiplied() }
        bitmap = try bitmap.oriented(picture.orientation)
        return DecodedImage(bitmap, format: picture.format, isPartial: failure != nil)
    }

    /// Fills a bitmap of the delivered size; returns what is wrong with it.
    private func fill(
        _ base: UnsafeMutableRawPointer, _ bytesPerRow: Int, from producer: any RowProducer
    ) throws -> ImageError? {
        let (width, height) = (picture.decodedSize.width, picture.decodedSize.height)
        if producer.deliversWhole {
            return try unsafe fillWhole(base, bytesPerRow, from: producer)
        }
        let batch = Self.batch(rowBytes: width * picture.layout.bytesPerPixel)
        let scratch = converter.worksInPlace ? nil : Scratch(rows: batch, rowBytes: width * picture.layout.bytesPerPixel)
        var y = 0
        while y < height {
            try options.checkCancellation()
            let row = unsafe base + y * bytesPerRow
            let (from, stride) = unsafe scratch.map { unsafe ($0.base, $0.stride) } ?? (row, bytesPerRow)
            let read = try unsafe producer.readRows(into: from, stride: stride, count: min(batch, height - y))
            for i in 0..<read.count {
                unsafe converter.convert(from + i * stride, to: row + i * bytesPerRow, width: width)
            }
            y += read.count
            if let failure = read.failure {
                if y == 0 { throw failure }
                return failure
            }
        }
        return producer.finish()
    }

    private func fillWhole(
        _ base: UnsafeMutableRawPointer, _ bytesPerRow: Int, from producer: any RowProducer
    ) throws -> ImageError? {
        let (width, height) = (picture.decodedSize.width, picture.decodedSize.height)
        let rowBytes = width * picture.layout.bytesPerPixel
        let scratch = converter.worksInPlace ? nil : Scratch(rows: height, rowBytes: rowBytes)
        let (from, stride) = unsafe scratch.map { unsafe ($0.base, $0.stride) } ?? (base, bytesPerRow)
        let read = try unsafe producer.readRows(into: from, stride: stride, count: height)
        for y in 0..<read.count {
            unsafe converter.convert(from + y * stride, to: base + y * bytesPerRow, width: width)
        }
        if let failure = read.failure {
            if read.count == 0 { throw failure }
            return failure
        }
        return producer.finish()
    }

    /// Rows decoded between two looks at the cancellation token: about 256 KB, at least 16 for libjpeg's sake.
    private static func batch(rowBytes: Int) -> Int { max(16, (1 << 18) / max(1, rowBytes)) }
}

/// Memory for rows on their way, given back with the object.
@safe final class Scratch {
    let base: UnsafeMutableRawPointer
    let stride: Int

    init(rows: Int, rowBytes: Int) {
        stride = (rowBytes + 63) & ~63
        unsafe base = .allocate(byteCount: max(1, stride * rows), alignment: 64)
        unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: max(1, stride * rows))
    }

    deinit { unsafe base.deallocate() }
}
