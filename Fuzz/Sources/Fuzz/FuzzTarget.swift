import Foundation
import ImageCore
import ImageCodecs
import ImageDecoding

/// The target of a fuzzing run. The input is a file, and a checksum of it selects the options, so that the file alone
/// reproduces a failure.
enum FuzzTarget: String, CaseIterable {
    case jpeg, png, webp, avif, gif, metadata, diskcache, http

    func run(_ file: Data) {
        switch self {
        case .jpeg:
            fuzz(JPEGDecoder(), file)
            _ = attempt { try JPEGDecoder().embeddedThumbnail(in: file, options: small) }
            var second = DecodeOptions()
            second.frame = 1
            check(attempt { try JPEGDecoder().decode(file, options: second) } == nil, "a JPEG has a second frame")
        case .png: fuzz(PNGDecoder(), file)
        case .webp: fuzz(WebPDecoder(), file)
        case .avif: fuzz(AVIFDecoder(), file)
        case .gif: fuzz(GIFDecoder(), file)
        case .metadata: MetadataFuzzing.run(file)
        case .diskcache: DiskCacheFuzzing.run(file)
        case .http: HTTPFuzzing.run(file)
        }
    }

    private func fuzz(_ decoder: any Decoding, _ file: Data) {
        guard decoder.format(of: file) != nil else { return }
        var choices = Choices(file)
        let options = choices.options()
        let info = attempt { try decoder.info(of: file, limits: options.limits) }
        // A scaled decode of a huge image takes seconds, in which thousands of others run. Such inputs are run seldom.
        if info == nil, isHuge(file, decoder), choices.next(50) > 0 { return }
        let whole = attempt { try DecoderRegistry([decoder]).decode(file, options: options) }
        if let whole, !options.allowsPartial { check(!whole.isPartial, "a partial image is not marked as partial") }
        if let whole, !whole.isPartial { expectSame(whole, info, options) }
        if choices.next(3) == 0 {
            var cancellable = options
            cancellable.cancellation = CancellationToken()
            let other = attempt { try DecoderRegistry([decoder]).decode(file, options: cancellable) }
            check(other?.isPartial == whole?.isPartial, "a cancellable decode has another result")
            check(other.map(pixels) == whole.map(pixels), "a cancellable decode gives another image")
        }
        makePreviews(of: file, with: decoder, options: options, &choices)
        playFrames(of: file, with: decoder, options: options, &choices)
    }

    /// Makes previews of the file as its bytes arrive.
    private func makePreviews(
        of file: Data, with decoder: any Decoding, options: DecodeOptions, _ choices: inout Choices
    ) {
        let registry = DecoderRegistry([decoder])
        if choices.next(4) == 0 {
            let head = file.prefix(1 + choices.next(file.count))
            _ = attempt { try registry.embeddedThumbnail(in: head, options: options) }
        }
        _ = attempt {
            let incremental = try registry.makeIncrementalDecoder(for: file.prefix(64), options: options)
            var count = 0
            while let incremental, count < file.count {
                count += choices.next(4) == 0 ? 1 + choices.next(8) : 1 + choices.next(max(1, file.count / 2))
                guard let preview = try incremental.preview(of: file.prefix(count)) else { continue }
                check(preview.isPreview, "a preview is not marked as one")
            }
        }
    }

    /// A frame must be the same image in order, in random order, and when the options select it.
    private func playFrames(
        of file: Data, with decoder: any Decoding, options: DecodeOptions, _ choices: inout Choices
    ) {
        guard let jumping = attempt({ try DecoderRegistry(.codecs).animation(of: file, options: options) }) else { return }
        let info = attempt { try decoder.info(of: file, limits: options.limits) }
        if let info { check(info.frameCount == jumping.frameCount, "\(jumping.frameCount) frames for \(info)") }
        let playing = attempt { try DecoderRegistry(.codecs).animation(of: file, options: options) }
        let played = (0..<min(jumping.frameCount, 6)).map { index in attempt { try playing?.frame(at: index) } ?? nil }
        for _ in 0..<4 {
            let index = choices.next(min(jumping.frameCount, 40))
            let image = attempt { try jumping.frame(at: index) }
            if index < played.count { expectSame(image, played[index], "a jump gives another frame") }
        }
        var selecting = options
        selecting.frame = choices.next(min(jumping.frameCount + 2, 40))
        let selected = attempt { try DecoderRegistry([decoder]).decode(file, options: selecting) }
        if selecting.frame >= jumping.frameCount {
            check(selected == nil, "a frame that does not exist was decoded")
        } else if selecting.frame > 0, selecting.frame < played.count {
            expectSame(selected, played[selecting.frame], "the selected frame is another one")
        }
    }

    private func isHuge(_ file: Data, _ decoder: any Decoding) -> Bool {
        var limits = DecodingLimits()
        (limits.pixels, limits.imageBytes) = (.max, .max)
        guard let size = attempt({ try decoder.info(of: file, limits: limits) })?.size else { return false }
        return size.width * size.height > 1 << 24
    }

    /// The header of a file announces what a decode of all its pixels gives.
    private func expectSame(_ image: DecodedImage, _ info: ImageInfo?, _ options: DecodeOptions) {
        // A scaled image may be within limits that the stored one exceeds.
        guard let info else { return }
        if options.targetSize == nil {
            // Stored images are neither turned nor cropped.
            let upright = info.orientation.applied(to: info.croppedSize ?? info.size)
            check(image.size == (options.appliesOrientation ? upright : info.size), "\(image.size) for \(info)")
        }
        // Only a decode finds the pixels that the frames of an animation, or of a GIF, leave out.
        let mayHaveGaps = info.frameCount > 1 || info.format == .gif
        check(info.hasAlpha || mayHaveGaps || image.bitmap.alpha == .opaque, "alpha for \(info)")
    }

    private func expectSame(_ one: DecodedImage?, _ other: DecodedImage?, _ complaint: String) {
        guard let one, let other, !one.isPartial, !other.isPartial else { return }
        check(one.size == other.size && pixels(one) == pixels(other), "\(complaint)")
    }

    /// The options for the thumbnail in a file.
    private var small: DecodeOptions {
        var options = DecodeOptions()
        options.limits.pixels = 1 << 16
        options.limits.scans = 50
        return options
    }

    private func pixels(_ image: DecodedImage) -> [UInt8] { image.bitmap.withUnsafePixels { Array($0) } }
}

/// Ends the process if an invariant does not hold. A precondition of an optimized program prints no message.
func check(_ condition: Bool, _ message: @autoclosure () -> String = "an invariant does not hold") {
    if !condition { fatalError(message()) }
}

/// Returns the result of `body`, or `nil` when it fails.
func attempt<R>(_ body: () throws -> R) -> R? { try? outcome(body).get() }

/// Returns the result of `body`. An error of another type than `ImageError` ends the process.
func outcome<R>(_ body: () throws -> R) -> Result<R, ImageError> {
    do {
        return .success(try body())
    } catch let error as ImageError {
        check(!error.message.isEmpty, "an error without a message")
        return .failure(error)
    } catch {
        fatalError("not a typed error: \(error)")
    }
}

/// Pseudo-random numbers that depend only on the file.
struct Choices {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    init(_ file: Data) {
        for byte in file { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// Returns a number from 0 up to `bound`, exclusive.
    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % max(1, bound)
    }

    /// Returns options with limits that keep a run short.
    mutating func options() -> DecodeOptions {
        var options = DecodeOptions()
        options.limits.pixels = 1 << 20
        options.limits.imageBytes = 1 << 25
        options.limits.frames = 200
        options.limits.scans = 50
        options.limits.metadataBytes = 1 << 20
        if next(2) == 0 { options.targetSize = PixelSize(width: 1 + next(40), height: 1 + next(40)) }
        options.contentMode = ImageContentMode.allCases[next(3)]
        options.allowsPartial = next(2) == 0
        options.alpha = next(3) == 0 ? .straight : .premultiplied
        options.appliesOrientation = next(3) > 0
        options.convertsToSRGB = next(3) > 0
        options.convertsTo8Bit = next(3) > 0
        return options
    }
}
