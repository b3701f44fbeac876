import CalotypeTesting
import ImageCodecs
import ImageCore
import ImageDecoding

struct OtherError: Error {}

/// The PNG decoder with changes.
private struct Altered: IncrementalDecoding {
    var formats: [ImageFormat] = [.png]
    var recognise: @Sendable (Data) -> ImageFormat? = { PNGDecoder().format(of: $0) }
    var header: @Sendable (inout ImageInfo) -> Void = { _ in }
    var early: (@Sendable (inout ImageInfo) -> Void)?
    var options: @Sendable (inout DecodeOptions) -> Void = { _ in }
    var before: @Sendable (Data, DecodeOptions) throws -> Void = { _, _ in }
    var image: @Sendable (inout DecodedImage, DecodeOptions) throws -> Void = { _, _ in }
    var failure: @Sendable (any Error) throws -> DecodedImage = { throw $0 }
    var preview: @Sendable (inout DecodedImage) throws -> Void = { _ in }

    init(_ change: (inout Altered) -> Void) { change(&self) }

    func format(of prefix: Data) -> ImageFormat? { recognise(prefix) }
    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo {
        var info = try PNGDecoder().info(of: data, limits: limits)
        header(&info)
        return info
    }
    func info(ofPrefix prefix: Data, limits: DecodingLimits) throws -> ImageInfo? {
        guard let early, prefix.count > 60, var info = try? info(of: prefix, limits: limits) else { return nil }
        early(&info)
        return info
    }
    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
        try before(data, options)
        var changed = options
        self.options(&changed)
        do {
            var image = try PNGDecoder().decode(data, options: changed)
            try self.image(&image, options)
            return image
        } catch {
            return try failure(error)
        }
    }
    func makeIncrementalDecoder(for prefix: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        try PNGDecoder().makeIncrementalDecoder(for: prefix, options: options).map { Previews($0, preview) }
    }

    private final class Previews: IncrementalDecoder {
        let base: any IncrementalDecoder
        let change: @Sendable (inout DecodedImage) throws -> Void
        init(_ base: any IncrementalDecoder, _ change: @escaping @Sendable (inout DecodedImage) throws -> Void) {
            (self.base, self.change) = (base, change)
        }
        func preview(of prefix: Data) throws -> DecodedImage? {
            guard var image = try base.preview(of: prefix) else { return nil }
            try change(&image)
            return image
        }
    }
}

/// An image whose channels differ from each other and from pixel to pixel.
func colorful(
    _ width: Int, _ height: Int, _ format: PixelFormat = .rgba8, _ alpha: AlphaMode = .opaque
) throws -> DecodedImage {
    let size = PixelSize(width: width, height: height)
    return DecodedImage(
        try unsafe Bitmap(size: size, format: format, alpha: alpha) { pixels, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    for channel in 0..<format.channels {
                        let opacity = alpha == .opaque ? 255 : 100 + x * 10 % 100
                        let color = [20 + x * 150 / width, 30 + y * 60 / height, 10][min(channel, 2)]
                        let level = channel == 3 ? opacity : color * (alpha == .premultiplied ? opacity : 255) / 255
                        let start = y * bytesPerRow + (x * format.channels + channel) * (format.bytesPerPixel / format.channels)
                        if format == .rgba16 || format == .gray16 {
                            unsafe pixels.storeBytes(of: UInt16(level * 256 + 77), toByteOffset: start, as: UInt16.self)
                        } else {
                            unsafe pixels[start] = UInt8(level)
                        }
                    }
                }
            }
        })
}

private func png(_ image: DecodedImage, turned orientation: Orientation = .up) throws -> Data {
    var options = EncodeOptions()
    options.orientation = orientation
    return try PNGEncoder().encode(image, as: .png, options: options)
}

/// An opaque file, a transparent one, one of 16 bits, and one that is turned.
private func sampleFiles() throws -> [Data] {
    [
        try png(colorful(12, 6)), try png(colorful(5, 6, .rgba8, .premultiplied)), try png(colorful(4, 4, .rgba16)),
        try png(colorful(6, 6), turned: .right),
    ]
}

private func proof(_ rule: String, _ what: String, _ change: @escaping @Sendable (inout Altered) -> Void) -> Proof {
    Proof("Decoding.\(rule)", what) { try checkDecodingConformance(of: Altered(change), files: sampleFiles()) }
}

private func white(_ size: PixelSize) throws -> Bitmap {
    try TestImages.solid(width: size.width, height: size.height, red: 255, green: 255, blue: 255).bitmap
}

let decodingProofs = [
    proof("listsFormats", "no formats") { $0.formats = [] },
    proof("declinesOtherData", "it accepts everything") { $0.recognise = { _ in .png } },
    proof("recognisesFiles", "it needs more than 64 bytes") {
        $0.recognise = { $0.count > 64 ? PNGDecoder().format(of: $0) : nil }
    },
    proof("recognisesFiles", "a format that is not listed") { $0.formats = [.jpeg] },
    proof("acceptsSlices", "it reads from index 0") {
        $0.before = { data, _ in if data.startIndex != 0 { throw ImageError(.corrupt, message: "No image.") } }
    },
    proof("decodesFiles", "nothing is decoded") { $0.before = { _, _ in throw ImageError(.corrupt, message: "No image.") } },
    proof("decodesFiles", "each image differs") {
        $0.image = { image, _ in
            image = image.with(try TestImages.solid(red: .random(in: 0...255), alpha: .random(in: 1...254)).bitmap)
        }
    },
    Proof("Decoding.matchesSamples", "the image is white") {
        let altered = Altered {
            $0.image = { image, _ in image = image.with(try white(image.size)) }
        }
        try checkDecodingConformance(
            of: altered, samples: [DecodingSample(try png(colorful(20, 8)), image: try colorful(20, 8))])
    },
    Proof("Decoding.matchesSamples", "the header states alpha that the file has not") {
        var info = try PNGDecoder().info(of: png(colorful(20, 8)), limits: DecodingLimits())
        info.hasAlpha.toggle()
        try checkDecodingConformance(of: PNGDecoder(), samples: [DecodingSample(try png(colorful(20, 8)), info: info)])
    },
    proof("namesFormat", "the image has no format") { $0.image = { image, _ in image.format = nil } },
    proof("namesFormat", "the header names another format") { $0.header = { $0.format = .gif } },
    proof("marksNoWholeImage", "every image is partial") { $0.image = { image, _ in image.isPartial = true } },
    proof("marksNoWholeImage", "every image is a preview") { $0.image = { image, _ in image.isPreview = true } },
    proof("reportsSize", "width and height are exchanged") { $0.header = { $0.size = $0.size.transposed } },
    proof("reportsSize", "the size is that of the upright image") {
        $0.header = { if $0.orientation != .up { $0.size.width += 1 } }
    },
    proof("reportsAlpha", "the header states no alpha") { $0.header = { $0.hasAlpha = false } },
    proof("reportsDepth", "the header always states 8 bits") { $0.header = { $0.bitDepth = 8 } },
    proof("reportsDepth", "the header always states 16 bits") { $0.header = { $0.bitDepth = 16 } },
    proof("reportsEarlyHeader", "the early header has another depth") { $0.early = { $0.bitDepth += 1 } },
    proof("convertsTo8Bit", "convertsTo8Bit is ignored") { $0.options = { $0.convertsTo8Bit = false } },
    proof("convertsToSRGB", "a profile stays") {
        $0.image = { image, _ in image.bitmap = image.bitmap.reinterpreted(colorSpace: .icc(Data([1]))) }
    },
    proof("returnsRequestedAlpha", "straight colours are marked as premultiplied") {
        $0.options = { $0.alpha = .straight }
        $0.image = { image, options in
            if image.bitmap.alpha == .straight { image.bitmap = image.bitmap.reinterpreted(alpha: options.alpha) }
        }
    },
    proof("returnsRequestedAlpha", "the alpha option is ignored") { $0.options = { $0.alpha = .premultiplied } },
    proof("returnsRequestedAlpha", "transparent images are marked as opaque") {
        $0.image = { image, _ in image.bitmap = image.bitmap.reinterpreted(alpha: .opaque) }
    },
    proof("appliesOrientation", "the orientation is ignored") { $0.options = { $0.appliesOrientation = false } },
    proof("respectsTargetSize", "a stretched image") {
        $0.image = { image, options in
            if let size = options.targetSize { image = image.with(try white(PixelSize(max(size.width, size.height)))) }
        }
    },
    proof("respectsTargetSize", "an image that is too small") {
        $0.image = { image, options in if options.targetSize != nil { image = image.with(try white(PixelSize(1))) } }
    },
    Proof("Decoding.respectsTargetSize", "other colours") {
        let altered = Altered {
            $0.image = { image, options in if options.targetSize != nil { image = image.with(try white(image.size)) } }
        }
        try checkDecodingConformance(of: altered, files: [png(colorful(48, 24))])
    },
    proof("respectsLimits", "the limits are ignored") { $0.options = { $0.limits = DecodingLimits() } },
    proof("respectsLimits", "the limit of bytes is ignored") { $0.options = { $0.limits.imageBytes = .max } },
    proof("reportsTruncation", "a cut file is whole") {
        $0.options = { $0.allowsPartial = true }
        $0.image = { image, _ in image.isPartial = false }
    },
    proof("respectsAllowsPartial", "allowsPartial is ignored") { $0.options = { $0.allowsPartial = true } },
    proof("respectsAllowsPartial", "a partial image has only its rows") {
        $0.image = { image, _ in if image.isPartial { image = image.with(try white(PixelSize(1))) } }
    },
    proof("throwsImageErrors", "another error") { $0.failure = { throw $0 is CancellationError ? $0 : OtherError() } },
    proof("stopsWhenCancelled", "the token is ignored") { $0.options = { $0.cancellation = nil } },
    proof("stopsWhenCancelled", "cancellation is another error") {
        $0.failure = { throw $0 is CancellationError ? ImageError(.corrupt, message: "Stopped.") : $0 }
    },
    proof("stopsWhenCancelled", "only a decode that begins is cancelled") {
        $0.before = { _, options in try options.checkCancellation() }
        $0.options = { $0.cancellation = nil }
        $0.image = { _, options in _ = options.cancellation?.isCancelled }
    },
    proof("marksPreviews", "previews are not marked") { $0.preview = { $0.isPreview = false } },
    proof("marksPreviews", "previews are stretched") { $0.preview = { $0.bitmap = try white(PixelSize(width: 40, height: 3)) } },
    proof("repeatsPreviews", "previews have memory of others") {
        $0.preview = {
            $0.bitmap = try TestImages.solid(width: $0.size.width, height: $0.size.height, red: .random(in: 0...255)).bitmap
        }
    },
    proof("endsPreviewsWithTheImage", "previews are white") { $0.preview = { $0.bitmap = try white($0.size) } },
]

// MARK: Animations

/// The frames of an animation with changes.
private final class AlteredFrames: ImageAnimation {
    let base: any ImageAnimation
    var durations: [Duration]
    var loopCount: Int
    var calls = 0
    let frame: (_ index: Int, _ call: Int, any ImageAnimation) throws -> DecodedImage

    init(
        _ base: any ImageAnimation, _ change: (AlteredFrames) -> Void,
        frame: @escaping (Int, Int, any ImageAnimation) throws -> DecodedImage
    ) {
        (self.base, durations, loopCount, self.frame) = (base, base.durations, base.loopCount, frame)
        change(self)
    }

    func frame(at index: Int) throws -> DecodedImage {
        calls += 1
        return try frame(index, calls, base)
    }
}

final class FrameList: ImageAnimation {
    let frames: [DecodedImage]
    let durations: [Duration]
    let loopCount = 0
    init(_ frames: [DecodedImage]) {
        (self.frames, durations) = (frames, frames.map { _ in .milliseconds(100) })
    }
    func frame(at index: Int) throws -> DecodedImage {
        guard frames.indices.contains(index) else { throw ImageError(.invalidRequest, message: "There is no frame \(index).") }
        return frames[index]
    }
}

/// The WebP decoder with other animations.
private struct AlteredAnimations: AnimationDecoding {
    var options: @Sendable (inout DecodeOptions) -> Void = { _ in }
    var altered: @Sendable (any ImageAnimation) -> any ImageAnimation = { $0 }
    var formats: [ImageFormat] { [.webp] }
    func format(of prefix: Data) -> ImageFormat? { WebPDecoder().format(of: prefix) }
    func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo { try WebPDecoder().info(of: data, limits: limits) }
    func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage { try WebPDecoder().decode(data, options: options) }
    func animation(of data: Data, options: DecodeOptions) throws -> any ImageAnimation {
        var options = options
        self.options(&options)
        return altered(try WebPDecoder().animation(of: data, options: options))
    }
}

private func animatedFile() throws -> Data {
    let frames = FrameList([try colorful(16, 12), try TestImages.solid(width: 16, height: 12, red: 9), try colorful(16, 12)])
    var options = EncodeOptions()
    options.quality = 100
    guard let file = try WebPEncoder().encode(frames, as: .webp, options: options) else { throw OtherError() }
    return file
}

private func animation(
    _ rule: String, _ what: String, options: @escaping @Sendable (inout DecodeOptions) -> Void = { _ in },
    change: @escaping @Sendable (AlteredFrames) -> Void = { _ in },
    frame: @escaping @Sendable (Int, Int, any ImageAnimation) throws -> DecodedImage = { index, _, base in
        try base.frame(at: index)
    }
) -> Proof {
    Proof("ImageAnimation.\(rule)", what) {
        let decoder = AlteredAnimations(options: options, altered: { AlteredFrames($0, change, frame: frame) })
        try checkDecodingConformance(of: decoder, files: [animatedFile()])
    }
}

let animationProofs = [
    animation("countsFrames", "a frame that is not there", change: { $0.durations.append(.seconds(1)) }),
    animation("countsFrames", "no frame", change: { $0.durations = [] }),
    animation("hasPlausibleTimes", "a negative duration", change: { $0.durations[0] = .seconds(-1) }),
    animation("hasPlausibleTimes", "a negative loop count", change: { $0.loopCount = -1 }),
    animation(
        "keepsSize", "frames of other sizes",
        frame: { index, _, base in index == 1 ? try TestImages.solid() : try base.frame(at: index) }),
    animation(
        "repeatsFrames", "only forwards", frame: { index, call, base in try base.frame(at: min(index, max(0, call - 1)) % 3) }),
    animation(
        "rejectsOtherFrames", "an index is clamped", frame: { index, _, base in try base.frame(at: max(0, min(2, index))) }),
    animation(
        "rejectsOtherFrames", "another error",
        frame: { index, _, base in
            guard (0..<3).contains(index) else { throw ImageError(.corrupt, message: "There is no such frame.") }
            return try base.frame(at: index)
        }),
    animation(
        "beginsWithTheImage", "the second frame first", frame: { index, _, base in try base.frame(at: index == 0 ? 1 : index) }),
    animation("stopsWhenCancelled", "the token is ignored", options: { $0.cancellation = nil }),
    animation("respectsFrameLimit", "the limit is ignored", options: { $0.limits.frames = 10_000 }),
]
