public import ImageCore
internal import ImageDecoding
internal import ImageKernels
internal import CCalotypeLibWebP

/// Decodes WebP with libwebp: lossy and lossless, with and without alpha, still images and single frames of animations.
///
/// For a target size libwebp scales the image while decoding, to at most twice the target size, and a resampler does
/// the rest.
///
/// libwebp cannot interrupt the decode of a lossless image: a cancelled one finishes, and then throws
/// `CancellationError`.
public struct WebPDecoder: AnimationDecoding {
    /// Creates a decoder.
    public init() {}

    public var formats: [ImageFormat] { [.webp] }

    /// Returns WebP if the file begins with `RIFF`, a size and `WEBP` (WebP container specification).
    public func format(of prefix: Data) -> ImageFormat? {
        let reader = ByteReader(prefix)
        return reader.matches("RIFF") && reader.matches("WEBP", at: 8) ? .webp : nil
    }

    public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        try unsafe data.withUnsafeBytes { bytes in
            let container = try unsafe WebPContainer(bytes, limits: limits)
            let frame = try container.frame(0)
            var info = ImageInfo(
                format: .webp, size: container.size, frameCount: container.frameCount, orientation: container.orientation,
                hasAlpha: container.hasAlpha || frame.place.hasAlpha, bitDepth: 8, colorModel: .rgb,
                colorProfile: container.profile.description)
            info.loopCount = container.loopCount
            return info
        }
    }

    public func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation {
        try ComposedAnimation(WebPAnimation(data, limits: options.limits), options: options)
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try unsafe data.withUnsafeBytes { bytes in
            let container = try unsafe WebPContainer(bytes, limits: options.limits)
            try options.checkFrame(of: container.frameCount)
            let isCut = container.lacksOrientation(options)
            if isCut, !options.allowsPartial { throw ImageError.truncated(.webp) }
            if container.isAnimated {
                var image = try ComposedAnimation(WebPAnimation(data, limits: options.limits), options: options)
                    .frame(at: options.frame)
                image.isPartial = image.isPartial || isCut
                return image
            }
            let frame = try container.frame(0)
            // The size of an image is not known if the file ends before its pixels.
            guard frame.isComplete || frame.place.size == container.size else { throw ImageError.truncated(.webp) }
            let isLossless = unsafe WebPReader.isLossless(UnsafeRawBufferPointer(rebasing: bytes[frame.range]))
            var stored = try Self.storedImage(container, frame, isLossless: isLossless, options: options)
            stored.deliversWhole = true
            let assembler = try ImageAssembler(stored, options: options)
            var image = try assembler.assemble(
                unsafe WebPRows(bytes, frame, stored: stored, options: options))
            image.isPartial = image.isPartial || isCut
            return image
        }
    }

    /// Describes a still image, with the scale that the options allow.
    ///
    /// - Parameter isLossless: whether it has no loss. Then libwebp delivers alpha that the file declares as unused,
    ///   and would multiply colours by it to scale them.
    static func storedImage(
        _ container: WebPContainer, _ frame: WebPFrame, isLossless: Bool, options: DecodeOptions
    ) throws(ImageError) -> StoredImage {
        var stored = StoredImage(format: .webp, size: container.size, layout: .pixels(.rgba8))
        stored.orientation = options.applied(container.orientation)
        stored.hasAlpha = container.hasAlpha || frame.place.hasAlpha
        stored.profile = container.profile
        stored.ignoresAlpha = !stored.hasAlpha && isLossless
        if !stored.ignoresAlpha { try scale(&stored, options: options) }
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
    private let bytes: UnsafeRawBufferPointer
    private let size: PixelSize
    private let stored: StoredImage
    private let options: DecodeOptions

    /// - Parameter file: Must stay valid while the producer exists.
    init(_ file: UnsafeRawBufferPointer, _ frame: WebPFrame, stored: StoredImage, options: DecodeOptions) {
        unsafe bytes = UnsafeRawBufferPointer(rebasing: file[frame.range])
        (size, self.stored, self.options) = (frame.place.size, stored, options)
    }

    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) throws -> RowsRead {
        guard size == stored.size else { throw ImageError.damaged(.webp, "the sizes of its image and its canvas differ") }
        let reader = try unsafe WebPReader(into: target, stride: stride, stored)
        let status = try update(reader)
        if status == VP8_STATUS_OK { return RowsRead(count: count, failure: nil) }
        return RowsRead(count: min(count, reader.rows), failure: WebPReader.failure(status))
    }

    /// Passes a lossy image to libwebp in small parts, so that it stops soon when it is cancelled. It does so for every
    /// decode, since libwebp's result for a damaged image depends on the parts. A lossless image is passed at once,
    /// because libwebp would decode up to eight rows again for each part.
    private func update(_ reader: WebPReader) throws -> VP8StatusCode {
        let step = unsafe WebPReader.isLossless(bytes) ? bytes.count : max(4096, bytes.count / 256)
        var count = 0
        while true {
            try options.checkCancellation()
            count = unsafe min(bytes.count, count + step)
            let status = unsafe reader.update(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            if unsafe status != VP8_STATUS_SUSPENDED || count == bytes.count { return status }
        }
    }
}
