public import ImageCore
import ImageDecoding
import ImageKernels
import CCalotypeWebP

/// WebP by libwebp: lossy and lossless, with and without alpha; of an animation, the frame asked for.
///
/// Given a target size, lossy and lossless images are scaled by libwebp while they are decoded, to twice the size
/// asked for at most; what remains is resampled.
///
/// libwebp decodes lossless images in one go. Of a large one, the cancelled decode returns within milliseconds, while the
/// image is finished in the background and its memory freed then. There are two such decodes at most, and
/// `limits.decodedBytes` bounds what they hold together; a further one is waited for.
public struct WebPDecoder: AnimationDecoding {
    public init() {}

    public var formats: [ImageFormat] { [.webp] }

    /// WebP where the file begins with `RIFF`, a size and `WEBP` (WebP container specification).
    public func format(of head: Data) -> ImageFormat? {
        let reader = ByteReader(head)
        return reader.matches("RIFF") && reader.matches("WEBP", at: 8) ? .webp : nil
    }

    public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        try unsafe data.withUnsafeBytes { bytes in
            let container = try unsafe WebPContainer(bytes, limits: limits)
            let frame = try container.frame(0)
            return ImageInfo(
                format: .webp, size: container.size, frameCount: Int(container.info.frames),
                orientation: container.chunk("EXIF").map(EXIFOrientation.parse) ?? .up,
                hasAlpha: container.info.has_alpha || frame.hasAlpha, bitDepth: 8, colorModel: .rgb,
                colorProfile: ColorProfile(embedded: container.chunk("ICCP")).description)
        }
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        guard let pixels = Self.losslessPixels(data) else {
            return try Self.decode(data, options: options)
        }
        // As libwebp holds them, and as they come out.
        return try UncancellableDecode.run(data, holding: 2 * 4 * pixels, options: options) {
            try Self.decode($0, options: options)
        }
    }

    public func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation {
        try ComposedAnimation(WebPAnimation(data, limits: options.limits), options: options)
    }

    /// How many pixels a still lossless image has; `nil` for any other file.
    private static func losslessPixels(_ data: Data) -> Int? {
        unsafe data.withUnsafeBytes { bytes in
            var features = clt_webp_features()
            let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let status = unsafe clt_webp_read_features(base, bytes.count, &features)
            guard status == CLT_WEBP_OK, features.is_lossless, !features.is_animated else { return nil }
            return Int(features.width) * Int(features.height)
        }
    }

    private static func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try unsafe data.withUnsafeBytes { bytes in
            let container = try unsafe WebPContainer(bytes, limits: options.limits)
            try options.checkFrame(of: Int(container.info.frames))
            let isCut = container.lacksOrientation(options)
            if isCut, !options.allowsPartial { throw ImageError.truncated(.webp) }
            if container.info.is_animated {
                var image = try ComposedAnimation(WebPAnimation(data, limits: options.limits), options: options)
                    .frame(at: options.frame)
                image.isPartial = image.isPartial || isCut
                return image
            }
            let frame = try container.frame(0)
            // Of a file that was cut before the pixels begin, the image's own size is not known.
            guard frame.isComplete || frame.size == container.size else { throw ImageError.truncated(.webp) }
            var stored = try storedImage(container, frame, options: options)
            stored.deliversWhole = true
            let assembler = try ImageAssembler(stored, options: options)
            var image = try assembler.assemble(
                unsafe WebPRows(frame.bytes, size: frame.size, stored: stored, options: options))
            image.isPartial = image.isPartial || isCut
            return image
        }
    }

    /// What is known of a still image, scaled as the options allow.
    static func storedImage(
        _ container: WebPContainer, _ frame: WebPFrame, options: DecodeOptions
    ) throws(ImageError) -> StoredImage {
        var stored = StoredImage(format: .webp, size: container.size, layout: .rgba8)
        stored.orientation = options.applied(container.chunk("EXIF").map(EXIFOrientation.parse) ?? .up)
        stored.hasAlpha = container.info.has_alpha || frame.hasAlpha
        stored.profile = ColorProfile(embedded: container.chunk("ICCP"))
        try scale(&stored, options: options)
        return stored
    }

    /// Lets libwebp scale to twice the size wanted where that is less than three quarters of the full size.
    private static func scale(_ stored: inout StoredImage, options: DecodeOptions) throws(ImageError) {
        let wanted = try options.geometry(storedSize: stored.size, orientation: stored.orientation)
        guard let wanted else { return }
        let ratio = min(wanted.width / Double(wanted.output.width), wanted.height / Double(wanted.output.height))
        guard ratio > 2.67 else { return }
        let size = PixelSize(
            width: Int((Double(stored.size.width) * 2 / ratio).rounded(.up)),
            height: Int((Double(stored.size.height) * 2 / ratio).rounded(.up)))
        stored.scale = (
            Double(size.width) / Double(stored.size.width), Double(size.height) / Double(stored.size.height)
        )
        stored.decodedSize = size
    }
}

/// One image of a WebP, decoded by libwebp where it is to lie.
@safe final class WebPRows: RowProducer {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let size: PixelSize
    private let stored: StoredImage
    private let options: DecodeOptions

    /// - Parameters:
    ///   - bytes: a WebP of its own; must stay where they are.
    ///   - size: what the container says of them.
    init(_ bytes: UnsafeBufferPointer<UInt8>, size: PixelSize, stored: StoredImage, options: DecodeOptions) {
        unsafe self.bytes = bytes
        (self.size, self.stored, self.options) = (size, stored, options)
    }

    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) throws -> RowsRead {
        let output = stored.decodedSize
        let isScaled = output != stored.size
        guard size == stored.size else {
            throw ImageError(.corrupt, message: "The WebP file is damaged: its image is not of the size of its canvas.")
        }
        let room = stride * (output.height - 1) + 4 * output.width
        let reader = unsafe clt_webp_reader_create(
            target.assumingMemoryBound(to: UInt8.self), room, Int32(stride), UInt32(output.width), UInt32(output.height),
            isScaled,
            false)
        guard let reader = unsafe reader else { throw ImageError.outOfMemory(.webp) }
        defer { unsafe clt_webp_reader_destroy(reader) }
        let status = try unsafe update(reader)
        if status == CLT_WEBP_OK { return RowsRead(count: count, failure: nil) }
        return unsafe RowsRead(count: min(count, Int(clt_webp_reader_rows(reader))), failure: Self.failure(status))
    }

    /// Hands a lossy image over bit by bit, so that one that is cancelled stops soon; also where none can be, for what libwebp
    /// makes of a damaged image hangs on how it is handed over. Of a lossless one libwebp would decode up to eight rows anew
    /// with each bit, and its beginning as a whole: that goes in one.
    private func update(_ reader: OpaquePointer) throws -> clt_webp_status {
        var features = clt_webp_features()
        let status = unsafe clt_webp_read_features(bytes.baseAddress, bytes.count, &features)
        let isInOne = status == CLT_WEBP_OK && features.is_lossless
        let step = unsafe isInOne ? bytes.count : max(4096, bytes.count / 256)
        var count = 0
        while true {
            try options.checkCancellation()
            count = unsafe min(bytes.count, count + step)
            let status = unsafe clt_webp_reader_update(reader, bytes.baseAddress, count)
            if status != CLT_WEBP_NEEDS_INPUT { return status }
            if unsafe count == bytes.count { return status }
        }
    }

    static func failure(_ status: clt_webp_status) -> ImageError {
        switch status {
        case CLT_WEBP_NEEDS_INPUT: .truncated(.webp)
        case CLT_WEBP_NO_MEMORY: .outOfMemory(.webp)
        case CLT_WEBP_UNSUPPORTED:
            ImageError(.unsupportedFeature, message: "The WebP uses a feature that libwebp does not decode.")
        default: ImageError(.corrupt, message: "The WebP file is damaged: its image data is broken.")
        }
    }
}
