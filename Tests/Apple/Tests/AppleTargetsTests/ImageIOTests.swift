import CalotypeTesting
import Foundation
import ImageCore
import ImageDecodingApple
import Testing

/// The decoder and the encoder that use ImageIO, with a stub of ImageIO that reads a simple format.
@Suite struct ImageIOCodecs {
    /// Makes a file of the stub's format, which its source explains.
    private func file(
        _ type: Character = "j", _ width: UInt8 = 40, _ height: UInt8 = 20, orientation: UInt8 = 1, frames: UInt8 = 1,
        flags: UInt8 = 0
    ) -> Data {
        Data("TOY\(type)".utf8) + [width, height, orientation, frames, flags, 60, 70, 80, flags & 1 != 0 ? 128 : 255]
    }

    private func options(_ change: (inout DecodeOptions) -> Void = { _ in }) -> DecodeOptions {
        var options = DecodeOptions()
        change(&options)
        return options
    }

    private func code(_ body: () throws -> Void) -> ImageError.Code? {
        do { try body() } catch { return (error as? ImageError)?.code }
        return nil
    }

    @Test func formatsAreDetectedByContentAndUnknownOnesDeclined() {
        #expect(ImageIODecoder().format(of: file("j")) == .jpeg && ImageIODecoder().format(of: file("h")) == .heic)
        #expect(ImageIODecoder().format(of: file("x")) == nil && ImageIODecoder().format(of: Data("text".utf8)) == nil)
        #expect(ImageIODecoder().format(of: Data()) == nil)
    }

    @Test func infoReadsSizeOrientationAndAlpha() throws {
        let info = try ImageIODecoder().info(of: file("p", 30, 10, orientation: 6, frames: 3, flags: 1), limits: DecodingLimits())
        #expect(info.size == PixelSize(width: 30, height: 10) && info.orientation == .right)
        #expect(info.frameCount == 3 && info.hasAlpha && info.format == .png)
    }

    @Test func imagesAreDecodedUprightOrAsStored() throws {
        let upright = try ImageIODecoder().decode(file(orientation: 6), options: options())
        #expect(upright.size == PixelSize(width: 20, height: 40))
        #expect(TestImages.pixel(of: upright, x: 19, y: 0) == [255, 255, 255, 255])
        #expect(TestImages.pixel(of: upright, x: 0, y: 0) == [60, 70, 80, 255] && upright.bitmap.alpha == .opaque)
        let stored = try ImageIODecoder().decode(file(orientation: 6), options: options { $0.appliesOrientation = false })
        #expect(stored.size == PixelSize(width: 40, height: 20))
        #expect(TestImages.pixel(of: stored, x: 0, y: 0) == [255, 255, 255, 255])
    }

    @Test(arguments: [
        (ContentMode.fit, PixelSize(width: 20, height: 10)), (.fill, PixelSize(width: 40, height: 20)),
        (.exact, PixelSize(width: 40, height: 20)),
    ])
    func imagesAreDecodedAtTheSmallestSizeThatCoversTheTarget(_ mode: ContentMode, _ expected: PixelSize) throws {
        let image = try ImageIODecoder().decode(
            file("j", 160, 80),
            options: options {
                ($0.targetSize, $0.contentMode) = (PixelSize(width: 20, height: 20), mode)
            })
        #expect(image.size == expected)
    }

    @Test func alphaIsPremultipliedOrStraight() throws {
        let image = try ImageIODecoder().decode(file(flags: 1), options: options())
        #expect(image.bitmap.alpha == .premultiplied && TestImages.pixel(of: image, x: 1, y: 1) == [60, 70, 80, 128])
        let straight = try ImageIODecoder().decode(file(flags: 1), options: options { $0.alpha = .straight })
        #expect(straight.bitmap.alpha == .straight && TestImages.pixel(of: straight, x: 1, y: 1) == [120, 139, 159, 128])
    }

    @Test func badFilesAndExceededLimitsThrowTypedErrors() throws {
        let decoder = ImageIODecoder()
        #expect(code { _ = try decoder.decode(Data(), options: options()) } == .emptyFile)
        #expect(code { _ = try decoder.decode(Data("no".utf8), options: options()) } == .unknownFormat)
        #expect(code { _ = try decoder.decode(file(flags: 4), options: options()) } == .corrupt)
        #expect(code { _ = try decoder.decode(file("j", 0, 0), options: options()) } == .corrupt)
        #expect(code { _ = try decoder.decode(file(flags: 2), options: options()) } == .truncated)
        #expect(try decoder.decode(file(flags: 2), options: options { $0.allowsPartial = true }).isPartial)
        #expect(code { _ = try decoder.decode(file(), options: options { $0.limits.pixels = 799 }) } == .tooLarge)
        #expect(code { _ = try decoder.decode(file(frames: 9), options: options { $0.limits.frames = 8 }) } == .tooLarge)
        #expect(code { _ = try decoder.decode(file(), options: options { $0.frame = 1 }) } == .invalidRequest)
        let cancelled = CancellationToken()
        cancelled.cancel()
        #expect(throws: CancellationError.self) { try decoder.decode(file(), options: options { $0.cancellation = cancelled }) }
    }

    @Test func theEncoderWritesTheFormatsOfTheSystemAndRejectsOthers() throws {
        #expect(ImageIOEncoder().formats == [.jpeg, .png])
        var options = EncodeOptions()
        (options.quality, options.orientation) = (60, .right)
        let file = try ImageIOEncoder().encode(TestImages.solid(width: 4, height: 3), as: .jpeg, options: options)
        #expect(String(decoding: file, as: UTF8.self) == "public.jpeg 4x3 quality 0.6 orientation 6")
        #expect(
            code { _ = try ImageIOEncoder().encode(TestImages.solid(), as: .webp, options: EncodeOptions()) }
                == .unsupportedFeature)
    }
}
