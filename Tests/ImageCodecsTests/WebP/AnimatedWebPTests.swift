import Foundation
import ImageCore
import ImageDecoding
import ProjectFiles
import TestBitmaps
import Testing

@testable import ImageCodecs

@Suite struct AnimatedWebPTests {
    private typealias Frame = (image: DecodedImage, duration: Duration)

    private final class FrameList: ImageAnimation {
        let frames: [Frame]
        let loopCount: Int
        init(_ frames: [Frame], loopCount: Int = 0) { (self.frames, self.loopCount) = (frames, loopCount) }

        var durations: [Duration] { frames.map(\.duration) }
        func frame(at index: Int) throws -> DecodedImage { frames[index].image }
    }

    private func encode(_ frames: [Frame], loopCount: Int = 0, options: EncodeOptions = EncodeOptions()) throws -> Data {
        try #require(try WebPEncoder().encode(FrameList(frames, loopCount: loopCount), as: .webp, options: options))
    }

    private func frames(_ count: Int, isTransparent: Bool = false) throws -> [Frame] {
        try (0..<count).map { number in
            let source = try bitmap(31, 22, alpha: isTransparent ? .straight : .opaque) { x, y in
                let isDot = abs(x - 4 * number) < 3 && abs(y - 3 * number) < 4
                return [
                    isDot ? 250 : UInt8(x * 3), UInt8(y * 5), isDot ? 9 : 80, isTransparent && isDot ? UInt8(40 * number) : 255,
                ]
            }
            return (DecodedImage(source), .milliseconds(100 * (number + 1)))
        }
    }

    private var lossless: EncodeOptions {
        var options = EncodeOptions()
        options.isLossless = true
        return options
    }

    @Test(arguments: [false, true])
    func losslessFramesAreDecodedUnchanged(isTransparent: Bool) throws {
        var frames = try frames(5, isTransparent: isTransparent)
        // A frame that equals the previous one.
        frames.insert(frames[2], at: 3)
        let file = try encode(frames, loopCount: 7, options: lossless)
        let animation = try DecoderRegistry(.codecs).animation(of: file, options: .with { $0.alpha = .straight })
        #expect(animation.frameCount == 6)
        #expect(animation.loopCount == 7)
        for (found, frame) in zip(animation.durations, frames) { #expect(found == frame.duration) }
        for (index, frame) in frames.enumerated() {
            #expect(try animation.frame(at: index).bitmap.all == frame.image.bitmap.all, "frame \(index)")
        }
    }

    @Test
    func lossyFramesAreCloseAndSmaller() throws {
        let frames = try frames(6)
        let file = try encode(frames)
        #expect(file.count < frames.count * 31 * 22)
        let animation = try DecoderRegistry(.codecs).animation(of: file, options: DecodeOptions())
        for (index, frame) in frames.enumerated() {
            #expect(try animation.frame(at: index).bitmap.difference(to: frame.image.bitmap).mean < 12)
        }
    }

    /// Changes that are too small to see from one frame to the next add up.
    @Test
    func aSlowFadeBesideAMovingPartIsKept() throws {
        let frames: [Frame] = try (0..<40).map { number in
            let source = try bitmap(40, 30) { x, y in
                abs(x - number) < 3 && y < 6 ? [255, 255, 255, 255] : [UInt8(3 * number), UInt8(3 * number), 90, 255]
            }
            return (DecodedImage(source), .milliseconds(40))
        }
        let animation = try DecoderRegistry(.codecs).animation(of: encode(frames), options: DecodeOptions())
        #expect(animation.frameCount == 40)
        #expect(try animation.frame(at: 39).bitmap.difference(to: frames[39].image.bitmap).mean < 4)
    }

    @Test(arguments: ["gif/animated.gif", "gif/restoring.gif", "png/animated.png", "webp/animated.webp", "avif/sequence.avif"])
    func anAnimationOfAnyFormatKeepsItsFrames(path: String) throws {
        let options = DecodeOptions.with { $0.alpha = .straight }
        let source = try DecoderRegistry(.codecs).animation(
            of: Data(contentsOf: ProjectFiles.fuzzSeeds.appending(path: path)), options: options)
        let file = try #require(try EncoderRegistry(.codecs).encode(source, as: .webp, options: lossless))
        let made = try DecoderRegistry(.codecs).animation(of: file, options: options)
        #expect(made.loopCount == source.loopCount)
        #expect(made.frameCount == source.frameCount)
        for (found, expected) in zip(made.durations, source.durations) {
            #expect(max(found, expected) - min(found, expected) < .microseconds(600))
        }
        for index in 0..<source.frameCount {
            let (found, expected) = (try made.frame(at: index).bitmap, try source.frame(at: index).bitmap.straightRGBA8())
            // The colour of transparent pixels does not matter.
            #expect(zip(found.all, expected.all).allSatisfy { $0 == $1 || $0[3] == 0 && $1[3] == 0 }, "frame \(index)")
        }
    }

    @Test
    func aStillFormatDeclinesAnAnimation() throws {
        let source = try DecoderRegistry(.codecs).animation(
            of: Data(contentsOf: ProjectFiles.fuzzSeeds.appending(path: "gif/animated.gif")), options: DecodeOptions())
        for format in EncoderRegistry(.codecs).formats where format != .webp {
            #expect(try EncoderRegistry(.codecs).encode(source, as: format, options: EncodeOptions()) == nil)
        }
    }

    @Test
    func onlyTheChangedRectangleIsStored() throws {
        let before = try bitmap(20, 20) { _, _ in [1, 2, 3, 255] }
        let after = try bitmap(20, 20) { x, y in 7...9 ~= x && 4...11 ~= y ? [9, 9, 9, 255] : [1, 2, 3, 255] }
        let file = try encode([before, after, after].map { (DecodedImage($0), .seconds(1)) }, options: lossless)
        let places = try WebPAnimation(file, limits: DecodingLimits()).frames
        #expect(places.map { [$0.x, $0.y] } == [[0, 0], [6, 4], [0, 0]])
        let sizes = [(20, 20), (4, 8), (1, 1)].map { PixelSize(width: $0.0, height: $0.1) }
        #expect(places.map(\.size) == sizes)
    }

    @Test
    func numbersBeyondTheFormatsLimitsAreReducedToThem() throws {
        let image = DecodedImage(try photo(3, 3))
        let file = try encode([(image, .seconds(20_000)), (image, .seconds(-1))], loopCount: .max)
        let animation = try DecoderRegistry(.codecs).animation(of: file, options: DecodeOptions())
        #expect(animation.loopCount == 65_535)
        #expect(animation.durations == [.milliseconds(16_777_215), .zero])
    }

    @Test(arguments: [1, 2])
    func profileAndOrientationAreWritten(count: Int) throws {
        let source = try bitmap(8, 6, colorSpace: .icc(ColorTests.p3)) { x, _ in [UInt8(x * 20), 9, 9, 255] }
        var options = lossless
        options.orientation = .right
        let file = try encode(Array(repeating: (DecodedImage(source), .seconds(1)), count: count), options: options)
        let info = try DecoderRegistry(.codecs).info(of: file, limits: DecodingLimits())
        #expect(info.orientation == .right)
        #expect(info.frameCount == count)
        #expect(info.colorProfile != nil)
    }

    /// Clears the bit of lossless images that says that alpha is used (WebP lossless bitstream, 3).
    private func withUnusedAlpha(_ file: Data) -> Data {
        var file = file
        var start = file.startIndex
        while let chunk = file.range(of: Data("VP8L".utf8), in: start..<file.endIndex) {
            file[chunk.upperBound + 8] &= ~0x10
            start = chunk.upperBound
        }
        if let header = file.range(of: Data("VP8X".utf8)) { file[header.upperBound + 4] &= ~0x10 }
        return file
    }

    @Test(arguments: [1, 3])
    func alphaThatIsNotUsedDoesNotCount(count: Int) throws {
        // Given: lossless images whose pixels have alpha although the file declares that it is not used.
        let file = withUnusedAlpha(try encode(frames(count, isTransparent: true), options: lossless))
        let opaque = try encode(
            try frames(count, isTransparent: true).map { (DecodedImage(try $0.image.bitmap.opaque), $0.duration) },
            options: lossless)
        #expect(try WebPDecoder().info(of: file, limits: DecodingLimits()).hasAlpha == false)
        // Then: they are those of a file without alpha, also scaled and in previews.
        for box in [nil, PixelSize(width: 20, height: 20), PixelSize(width: 7, height: 7)] {
            let options = DecodeOptions.with { $0.targetSize = box }
            let (found, expected) = (
                try DecoderRegistry(.codecs).animation(of: file, options: options),
                try DecoderRegistry(.codecs).animation(of: opaque, options: options)
            )
            for index in 0..<count {
                let bitmap = try found.frame(at: index).bitmap
                #expect(bitmap.alpha == .opaque)
                #expect(
                    bitmap.difference(to: try expected.frame(at: index).bitmap).largest <= 1,
                    "frame \(index) in \(String(describing: box))")
            }
            let still = try WebPDecoder().decode(file, options: options).bitmap
            #expect(still.alpha == .opaque)
            #expect(still.difference(to: try WebPDecoder().decode(opaque, options: options).bitmap).largest <= 1)
            guard count == 1 else { continue }
            let preview = try #require(WebPDecoder().previews(of: file, piece: file.count, options: options).last)
            #expect(preview.bitmap.all.allSatisfy { $0[3] == 255 })
        }
    }

    @Test
    func aChangeInTheFirstColumnIsKept() throws {
        // Given: a second frame that differs only in column 0, and a third only in the last row.
        let images = try (0..<3).map { number in
            try bitmap(9, 7) { x, y in
                number == 1 && x == 0
                    ? [250, 9, 9, 255] : number == 2 && y == 6 ? [9, 250, 9, 255] : [UInt8(x), UInt8(y), 80, 255]
            }
        }
        let file = try encode(images.map { (DecodedImage($0), .milliseconds(100)) }, options: lossless)
        let animation = try DecoderRegistry(.codecs).animation(of: file, options: DecodeOptions())
        for index in 0..<3 { #expect(try animation.frame(at: index).bitmap.all == images[index].all, "frame \(index)") }
    }

    @Test(arguments: [ImageFormat.webp])
    func aScaledFrameHasTheColorsOfTheScaledStill(format: ImageFormat) throws {
        // Given: half-transparent pixels beside transparent ones of another colour.
        let source = try bitmap(64, 48, alpha: .straight) { x, y in
            (x / 3 + y / 5) % 2 == 0 ? [240, UInt8(4 * x), 30, 128] : [0, 0, 255, UInt8(y * 2)]
        }
        let still = try encode([(DecodedImage(source), .milliseconds(100))], options: lossless)
        let other = try bitmap(64, 48) { _, _ in [1, 2, 3, 255] }
        let animated = try encode(
            [(DecodedImage(source), .milliseconds(100)), (DecodedImage(other), .milliseconds(100))], options: lossless)
        for alpha in [AlphaMode.premultiplied, .straight] {
            let options = DecodeOptions.with { ($0.targetSize, $0.alpha) = (PixelSize(width: 30, height: 30), alpha) }
            let expected = try WebPDecoder().decode(still, options: options).bitmap
            for bitmap in [
                try DecoderRegistry(.codecs).animation(of: animated, options: options).frame(at: 0).bitmap,
                try WebPDecoder().decode(animated, options: options).bitmap,
            ] {
                #expect(bitmap.alpha == alpha)
                #expect(bitmap.difference(to: expected).largest <= 2, "\(bitmap.difference(to: expected))")
            }
        }
    }

    @Test
    func framesOfDifferentSizesAreRefused() throws {
        let other: Frame = (DecodedImage(try photo(3, 3)), .seconds(1))
        for frames in [[], try frames(1) + [other]] {
            let error = #expect(throws: ImageError.self) { try encode(frames) }
            #expect(error?.code == .invalidRequest)
        }
        var options = EncodeOptions()
        options.cancellation = CancellationToken()
        options.cancellation?.cancel()
        #expect(throws: CancellationError.self) { try encode([other], options: options) }
    }
}

extension Bitmap {
    /// The same colours with full alpha.
    fileprivate var opaque: Bitmap {
        get throws { try TestBitmaps.bitmap(width, height) { x, y in self[x, y].prefix(3).map { UInt8($0) } + [255] } }
    }
}
