public import ImageCore
import ImageDecoding
import ImageKernels
import CCalotypeWebP

/// Decodes WebP with libwebp: lossy and lossless, with and without alpha, still images and single frames of animations.
///
/// For a target size libwebp scales the image while decoding, to at most twice the target size, and a resampler does the rest.
///
/// libwebp cannot interrupt the decode of a lossless image. When the decode of a large image is cancelled, the call returns
/// within milliseconds, and libwebp finishes in the background before its memory is freed. At most two such decodes run at a
/// time, and together they hold at most `limits.decodedBytes`; a further one waits.
public struct WebPDecoder: AnimationDecoding {
    /// Creates a decoder.
    public init() {}

    public var formats: [ImageFormat] { [.webp] }

    /// Returns WebP if the file begins with `RIFF`, a size and `WEBP` (WebP container specification).
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
        // Both libwebp's pixels and the result count.
        return try UncancellableDecode.run(data, holding: 2 * 4 * pixels, options: options) {
            try Self.decode($0, options: options)
        }
    }

    public func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation {
        try ComposedAnimation(WebPAnimation(data, limits: options.limits), options: options)
    }

    /// The number of pixels of a still lossless image; `nil` for any other file.
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
            // The size of an image is not known if the file ends before its pixels.
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

    /// Describes a still image, with the scale that the options allow.
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

    /// Uses libwebp's scaling to twice the target size if that is less than three quarters of the full size.
    private static func scale(_ stored: inout StoredImage, options: DecodeOptions) throws(ImageError) {
        let geometry = try options.geometry(storedSize: stored.size, orientation: stored.orientation)
        guard let geometry else { return }
        let ratio = min(geometry.width / Double(geometry.output.width), geometry.height / Double(geometry.output.height))
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

/// Decodes one image of a WebP into the caller's memory.
@safe final class WebPRows: RowProducer {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let size: PixelSize
    private let stored: StoredImage
    private let options: DecodeOptions

    /// - Parameters:
    ///   - bytes: A WebP file with one image. The bytes must stay valid while the producer exists.
    ///   - size: The size that the container declares.
    init(_ bytes: UnsafeBufferPointer<UInt8>, size: PixelSize, stored: StoredImage, options: DecodeOptions) {
        unsafe self.bytes = bytes
        (self.size, self.stored, self.options) = (size, stored, options)
    }

    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) throws -> RowsRead {
        let output = stored.decodedSize
        let isScaled = output != stored.size
        guard size == stored.size else {
            throw ImageError(.corrupt, message: "The WebP file is damaged: the sizes of its image and its canvas differ.")
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

    /// Passes a lossy image to libwebp in small parts, so that it stops soon when it is cancelled. It does so for every decode,
    /// since libwebp's result for a damaged image depends on the parts. A lossless image is passed at once, because libwebp would
    /// decode up to eight rows again for each part.
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
        default: ImageError(.corrupt, message: "The WebP file is damaged: its image data cannot be decoded.")
        }
    }
}
