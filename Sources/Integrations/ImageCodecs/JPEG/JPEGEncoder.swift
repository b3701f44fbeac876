public import ImageCore
internal import ImageDecoding
internal import CCalotypeCodec
internal import CCalotypeJPEG
internal import ImageKernels

/// Encodes JPEG with libjpeg-turbo. Transparent images are composited over white, 16-bit images are rounded to 8 bits,
/// and grayscale images stay grayscale.
///
/// Quality is the usual scale of JPEG. From quality 90 up chroma keeps its full resolution (4:4:4); below it has half
/// the width and height (4:2:0), unless `chroma` sets another sampling. With `isProgressive`, or an `effort` of 7 or
/// more, the file is progressive, which is smaller. The encoder embeds the bitmap's profile, and writes the orientation
/// as Exif. Sides have at most 65,500 pixels.
public struct JPEGEncoder: Encoding {
    /// Creates an encoder.
    public init() {}

    public var formats: [ImageFormat] { [.jpeg] }

    public func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
        try ImageError.checkSides(of: image.size, for: .jpeg, atMost: 65_500)
        let isGray = image.bitmap.format.channels == 1
        let bitmap = try image.bitmap.fittingProfile(writesGray: isGray).converted(to: isGray ? .gray8 : .rgba8)
            .flattened(onto: .white, cancellation: options.cancellation)
        guard let writer = unsafe clt_jpeg_writer_create() else { throw ImageError.outOfMemory(.jpeg) }
        defer { unsafe clt_jpeg_writer_destroy(writer) }
        func check(_ status: clt_status) throws(ImageError) {
            if status == CLT_OK { return }
            if status == CLT_NO_MEMORY { throw .outOfMemory(.jpeg) }
            throw unsafe .unwritable(.jpeg, bitmap.size, String(cString: clt_jpeg_writer_message(writer)))
        }
        let quality = max(1, min(100, options.quality))
        let chroma = (options.chroma ?? ChromaSampling(quality: quality)).pixels
        let isProgressive = options.isProgressive ?? ((options.effort ?? 5) >= 7)
        let (profile, exif) = (Array(bitmap.colorSpace.profile), EXIFOrientation.segment(options.orientation))
        try unsafe check(
            clt_jpeg_writer_start(
                writer, UInt32(clamping: bitmap.width), UInt32(clamping: bitmap.height), isGray, Int32(quality),
                chroma.columns, chroma.rows, isProgressive, profile.isEmpty ? nil : profile, profile.count,
                exif.isEmpty ? nil : exif, exif.count))
        try unsafe bitmap.withUnsafePixels { pixels in
            guard let base = unsafe pixels.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            for y in 0..<bitmap.height {
                try options.cancellation?.check()
                try unsafe check(clt_jpeg_writer_write_row(writer, base + y * bitmap.bytesPerRow))
            }
        }
        var (bytes, count) = unsafe (UnsafePointer<UInt8>?.none, 0)
        try unsafe check(clt_jpeg_writer_finish(writer, &bytes, &count))
        return unsafe bytes.map { unsafe Data(bytes: $0, count: count) } ?? Data()
    }
}

extension ChromaSampling {
    /// The pixels that a chroma sample covers.
    var pixels: (columns: Int32, rows: Int32) {
        switch self {
        case .full: (1, 1)
        case .half: (2, 1)
        case .quarter: (2, 2)
        }
    }
}
