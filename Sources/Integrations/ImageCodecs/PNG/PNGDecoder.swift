internal import CCalotypePNG
public import ImageCore
internal import ImageDecoding

/// Decodes PNG with libpng: every colour type and depth, Adam7, transparency by tRNS, and colours by cICP, iCCP, sRGB,
/// gAMA and cHRM.
///
/// Frame 0 of an animated PNG is the animation's first frame, as in browsers. A separate default image is shown only if
/// that frame is damaged or missing, and is marked as partial if the file ends early. Frames are composed on the
/// canvas; those beyond the announced number are ignored. `limits.metadataBytes` limits metadata: the decoder ignores a
/// larger profile, and never reads text.
public struct PNGDecoder: AnimationDecoding {
    /// Creates a decoder.
    public init() {}

    public var formats: [ImageFormat] { [.png] }

    /// Returns PNG if the file begins with the eight bytes of its signature (PNG specification, 5.2).
    public func format(of prefix: Data) -> ImageFormat? { prefix.starts(with: PNGChunks.signature) ? .png : nil }

    public func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        let metadata = PNGMetadata(data, limits: limits)
        return try unsafe data.withUnsafeBytes { bytes in
            let reader = try unsafe PNGReader(bytes, limits: limits)
            let header = reader.header
            let model: ColorModel = header.is_palette ? .indexed : header.is_gray ? .gray : .rgb
            var info = ImageInfo(
                format: .png, size: reader.size, frameCount: max(1, metadata.animation.frames.count),
                orientation: metadata.orientation,
                hasAlpha: header.has_alpha, bitDepth: Int(header.bit_depth),
                colorModel: model, colorProfile: metadata.embeddedProfile(reader.profile).description,
                isProgressive: header.is_interlaced)
            info.loopCount = metadata.animation.loopCount
            return info
        }
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        let metadata = PNGMetadata(data, limits: options.limits)
        try options.checkFrame(of: max(1, metadata.animation.frames.count))
        if options.frame > 0 { return try composeFrame(of: data, options: options) }
        guard metadata.animation.hasSeparateDefault else {
            return try Self.decodeStill(data, metadata: metadata, options: options)
        }
        if !metadata.animation.frames.isEmpty {
            do {
                let image = try composeFrame(of: data, options: options)
                if !image.isPartial { return image }
            } catch let error as ImageError where error.code == .truncated || error.code == .corrupt {
                // The default image is for readers that cannot show the animation.
            }
        }
        guard metadata.hasEnd || options.allowsPartial else { throw ImageError.truncated(.png) }
        var image = try Self.decodeStill(data, metadata: metadata, options: options)
        image.isPartial = image.isPartial || !metadata.hasEnd
        return image
    }

    public func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation {
        try ComposedAnimation(APNGFile(data, limits: options.limits), options: options)
    }

    private func composeFrame(of data: Data, options: DecodeOptions) throws -> DecodedImage {
        // Otherwise libpng would not see the chunks before the pixels.
        _ = try info(of: data, limits: options.limits)
        return try animation(of: data, options: options).frame(at: options.frame)
    }

    static func decodeStill(
        _ data: Data, metadata: PNGMetadata, options: DecodeOptions, checksCRC: Bool = true
    ) throws -> DecodedImage {
        try unsafe data.withUnsafeBytes { bytes in
            let reader = try unsafe PNGReader(bytes, limits: options.limits, checksCRC: checksCRC)
            let profile = metadata.profile(embedded: reader.profile)
            // 16-bit samples are converted to sRGB before they are rounded to 8 bits.
            let keeps16Bit = !options.convertsTo8Bit || (options.convertsToSRGB && profile != .sRGB)
            try reader.start(keeps16Bit: keeps16Bit)
            var stored = reader.storedImage(metadata, profile: profile, keeps16Bit: keeps16Bit, options: options)
            stored.deliversWhole = reader.header.is_interlaced
            return try ImageAssembler(stored, options: options)
                .assemble(PNGRows(reader, height: stored.size.height, options: options))
        }
    }
}

/// Delivers the rows of a PNG. The seven passes of Adam7 cover all rows.
private final class PNGRows: RowProducer {
    private let reader: PNGReader
    private let height: Int
    private let options: DecodeOptions

    init(_ reader: PNGReader, height: Int, options: DecodeOptions) {
        (self.reader, self.height, self.options) = (reader, height, options)
    }

    func readRows(into target: UnsafeMutableRawPointer, stride: Int, count: Int) throws -> RowsRead {
        guard reader.header.is_interlaced else { return unsafe reader.readRows(into: target, stride: stride, count: count) }
        for pass in 0..<7 {
            for y in Swift.stride(from: 0, to: height, by: 64) {
                try options.checkCancellation()
                let read = unsafe reader.readRows(
                    into: target + y * stride, stride: stride, count: min(64, height - y), fillsBlocks: options.allowsPartial)
                guard let failure = read.failure else { continue }
                // Earlier passes have filled every row; the first pass only those so far.
                return RowsRead(count: pass > 0 ? height : y + read.count, failure: failure)
            }
        }
        return RowsRead(count: height, failure: nil)
    }
}
