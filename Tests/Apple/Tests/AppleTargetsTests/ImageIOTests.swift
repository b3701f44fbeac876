import Calotype
import CalotypeTesting
import Foundation
import ImageCore
import ImageDecodingApple
import ImageIO
import Testing
import UIKit

/// The decoder and the encoder that use ImageIO, with a stub of ImageIO that reads a simple format.
@Suite(.serialized) struct ImageIOCodecs {
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

    @Test func theDecoderPassesTheConformanceChecks() throws {
        let rows = Data(count: 8)
        try checkDecodingConformance(
            of: ImageIODecoder(),
            files: [file("j", 12, 8) + rows, file("p", 9, 8, orientation: 6, flags: 1) + rows, file("g", 6, 8, frames: 3) + rows])
    }

    @Test func formatsAreDetectedByContentAndUnknownOnesDeclined() {
        #expect(ImageIODecoder().format(of: file("j")) == .jpeg && ImageIODecoder().format(of: file("h")) == .heic)
        #expect(ImageIODecoder().format(of: file("v")) == .avif)
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

    /// FEATURES 8.4. The corner of the stored image is white, so it shows what is cropped.
    @Test(arguments: [
        (ImageContentMode.fit, PixelSize(width: 20, height: 10), true), (.fill, PixelSize(20), false),
        (.exact, PixelSize(20), true),
    ])
    func theTargetSizeIsMetExactly(_ mode: ImageContentMode, _ expected: PixelSize, _ hasCorner: Bool) throws {
        CGImageSource.log = []
        let image = try ImageIODecoder().decode(
            file("j", 160, 80),
            options: options { ($0.targetSize, $0.contentMode) = (PixelSize(width: 20, height: 20), mode) })
        #expect(image.size == expected)
        #expect((TestImages.pixel(of: image, x: 0, y: 0)[0] == 255) == hasCorner)
        // ImageIO scales while it decodes, to the size that covers the box.
        #expect(CGImageSource.log == [mode == .fit ? "thumbnail 20x10" : "thumbnail 40x20"])
    }

    @Test(arguments: Orientation.allCases) func everyOrientationIsMadeUpright(_ orientation: Orientation) throws {
        let file = file("j", 3, 2, orientation: UInt8(orientation.rawValue))
        let image = try ImageIODecoder().decode(file, options: options())
        let (right, below) = (image.size.width - 1, image.size.height - 1)
        let corner =
            switch orientation {
            case .up, .leftMirrored: (0, 0)
            case .upMirrored, .right: (right, 0)
            case .down, .rightMirrored: (right, below)
            case .downMirrored, .left: (0, below)
            }
        #expect(image.size == orientation.applied(to: PixelSize(width: 3, height: 2)))
        for (x, y) in [(0, 0), (right, 0), (0, below), (right, below)] {
            #expect((TestImages.pixel(of: image, x: x, y: y)[1] == 255) == (corner == (x, y)))
        }
    }

    @Test func aWholeImageIsDecodedIntoItsBitmapWithoutASecondCopy() throws {
        CGImageSource.log = []
        _ = try ImageIODecoder().decode(file(), options: options())
        #expect(CGImageSource.log == ["decoded while drawn, cached false"])
    }

    /// A view never gets an image that is decoded when it is drawn, which would happen on the main thread: no call of
    /// `preparingForDisplay()` is needed.
    @Test(arguments: [nil, PixelSize(10)]) @MainActor func viewsGetDecodedImages(_ size: PixelSize?) throws {
        let provider = ScriptedProvider()
        let request = ImageRequest(.bytes(Data(), id: "a"))
        let image = try ImageIODecoder().decode(file(), options: options { $0.targetSize = size })
        provider.cache(image, for: request)
        CGImageSource.log = []
        let view = UIImageView(frame: CGRect(x: 0, y: 0, width: 40, height: 40))
        view.calotype.setImage(with: request, from: provider)
        let shown = try #require(view.image?.cgImage)
        #expect(shown.decode == nil && CGImageSource.log.isEmpty)
        #expect(unsafe image.bitmap.withUnsafePixels { unsafe $0.baseAddress } == shown.provider.data)
    }

    @Test func sixteenBitsAreKeptIfTheOptionsSaySo() throws {
        let deep = try ImageIODecoder().decode(file(flags: 32), options: options { $0.convertsTo8Bit = false })
        #expect(deep.bitmap.format == .rgba16)
        #expect(try ImageIODecoder().decode(file(flags: 32), options: options()).bitmap.format == .rgba8)
    }

    @Test func theFirstFrameOfAFileWithSeveralPhotosIsItsPrimaryImage() throws {
        let file = file("h", frames: 3, flags: 16)
        #expect(TestImages.pixel(of: try ImageIODecoder().decode(file, options: options()), x: 1, y: 1)[0] == 62)
        let second = try ImageIODecoder().decode(file, options: options { $0.frame = 1 })
        #expect(TestImages.pixel(of: second, x: 1, y: 1)[0] == 61)
    }

    @Test func onlyFormatsOfTheSystemAreAccepted() {
        #expect(ImageIODecoder().formats == [.jpeg, .png, .webp, .gif, .heic])
    }

    @Test func theHeaderIsReadFromTheFirstBytes() throws {
        let limits = DecodingLimits()
        func info(_ file: Data, _ count: Int) throws -> ImageInfo? {
            try ImageIODecoder().info(ofPrefix: file.prefix(count), limits: limits)
        }
        let jpeg = file("j", 30, 10, orientation: 6) + Data(count: 10)
        #expect(try info(jpeg, 8) == nil)
        #expect(try info(jpeg, 13) == ImageIODecoder().info(of: jpeg, limits: limits))
        // A PNG may be animated until its pixels begin, and the frames of a GIF are counted at its end.
        #expect(try info(file("p"), 13) == nil && info(file("p") + Data("IDAT".utf8), 17)?.format == .png)
        #expect(try info(file("p") + Data("acTL IDAT".utf8), 22) == nil && info(file("g"), 13) == nil)
    }

    // MARK: Animations and previews

    /// FEATURES 9.3.
    @Test(arguments: ["g", "p", "w", "s", "v"] as [Character])
    func framesHaveTheDelaysOfTheFile(_ type: Character) throws {
        let animation = try ImageIODecoder().animation(of: file(type, frames: 3), options: options())
        #expect(
            animation.durations == [.milliseconds(30), .milliseconds(40), .milliseconds(50)]
                && animation.loopCount == (type == "g" ? 4 : 3))
        let reds = try (0..<3).map { TestImages.pixel(of: try animation.frame(at: $0), x: 1, y: 1)[0] }
        #expect(reds == [60, 61, 62])
        #expect(code { _ = try animation.frame(at: 3) } == .invalidRequest)
        #expect(
            code { _ = try ImageIODecoder().animation(of: file(type, frames: 9), options: options { $0.limits.frames = 8 }) }
                == .tooLarge)
    }

    @Test func severalPhotosInAFileAreNoAnimation() throws {
        let photos = try ImageIODecoder().animation(of: file("h", frames: 3, flags: 16), options: options())
        let photo = try photos.frame(at: 0)
        #expect(photos.frameCount == 1 && TestImages.pixel(of: photo, x: 1, y: 1)[0] == 62)
        let still = try ImageIODecoder().animation(of: file("g"), options: options())
        #expect(still.frameCount == 1 && still.loopCount == 1)
    }

    /// FEATURES 9.1.
    @Test func previewsShowTheRowsThatHaveArrived() throws {
        let file = file("j", 4, 4) + Data(count: 4)
        let options = options { $0.targetSize = PixelSize(4) }
        let decoder = try #require(try ImageIODecoder().makeIncrementalDecoder(for: file.prefix(8), options: options))
        #expect(try decoder.preview(of: file.prefix(8)) == nil)
        let preview = try #require(try decoder.preview(of: file.prefix(15)))
        #expect(preview.isPreview && !preview.isPartial && preview.size == PixelSize(4))
        #expect((0..<4).map { TestImages.pixel(of: preview, x: 1, y: $0)[0] } == [60, 60, 0, 0])
        #expect(try decoder.preview(of: file.prefix(15)) == nil)
        let last = try #require(try decoder.preview(of: file))
        #expect(last.isPreview && TestImages.pixel(of: last, x: 1, y: 3)[0] == 60)
        #expect(try ImageIODecoder().makeIncrementalDecoder(for: self.file("x"), options: options) == nil)
    }

    /// FEATURES 9.2.
    @Test func theEmbeddedThumbnailIsUprightAndOnlyTheFilesOwn() throws {
        let file = file("j", 8, 4, orientation: 6, flags: 8)
        let thumbnail = try #require(try ImageIODecoder().embeddedThumbnail(in: file, options: options()))
        #expect(thumbnail.isPreview && thumbnail.size == PixelSize(width: 2, height: 4))
        #expect(TestImages.pixel(of: thumbnail, x: 0, y: 2)[0] == 195)
        #expect(try ImageIODecoder().embeddedThumbnail(in: self.file(), options: options()) == nil)
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
