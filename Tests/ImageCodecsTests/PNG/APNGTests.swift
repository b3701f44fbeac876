import Foundation
import ImageCore
import ImageKernels
import TestBitmaps
import Testing

@testable import ImageCodecs
@testable import ImageDecoding

@Suite("Animated PNG") struct APNGTests {
    /// A file of 4x4 pixels that announces `announced` frames and has `count` frames, the first of which is the default
    /// image.
    private static func animation(announced: Int, count: Int) -> Data {
        let size = PixelSize(width: 4, height: 4)
        func control(_ sequence: Int) -> [UInt8] {
            let place = big(4) + big(4) + big(0) + big(0)
            return big(sequence) + place + [0, 1, 0, 10, 0, 0]
        }
        var builder = PNGBuilder(size: size, colorType: .rgb, depth: 8) { x, y in [x * 60, y * 60, 90] }
        builder.chunks = [("acTL", big(announced) + big(0)), ("fcTL", control(0))]
        var file = Data(builder.file.dropLast(12))
        for frame in 1..<count {
            let row = [0] + [UInt8](repeating: UInt8(frame), count: 12)
            file += PNGBuilder.chunk("fcTL", control(2 * frame - 1))
            file += PNGBuilder.chunk("fdAT", big(2 * frame) + PNGBuilder.stored(row + row + row + row))
        }
        return file + PNGBuilder.chunk("IEND", [])
    }

    /// A red default image that is not part of the animation, before `count` frames: green, then blue ones.
    private static func animationWithSeparateDefault(count: Int) -> Data {
        let size = PixelSize(width: 4, height: 4)
        func control(_ sequence: Int) -> [UInt8] { big(sequence) + big(4) + big(4) + big(0) + big(0) + [0, 1, 0, 10, 0, 0] }
        var builder = PNGBuilder(size: size, colorType: .rgb, depth: 8) { _, _ in red }
        builder.chunks = [("acTL", big(count) + big(0))]
        var file = Data(builder.file.dropLast(12))
        for frame in 0..<count {
            let color: [UInt8] = frame == 0 ? [0, 255, 0] : [0, 0, 255]
            let row = [0] + color + color + color + color
            file += PNGBuilder.chunk("fcTL", control(2 * frame))
            file += PNGBuilder.chunk("fdAT", big(2 * frame + 1) + PNGBuilder.stored(row + row + row + row))
        }
        return file + PNGBuilder.chunk("IEND", [])
    }

    private static let (red, green) = ([255, 0, 0], [0, 255, 0])

    private static func color(_ image: DecodedImage) -> [Int] { Array(image.bitmap.all.first?.prefix(3) ?? []) }

    @Test(arguments: [1, 3])
    func frame0IsTheFirstFrameOfTheAnimationIfTheDefaultImageIsSeparate(count: Int) throws {
        let file = Self.animationWithSeparateDefault(count: count)
        let registry = DecoderRegistry(.codecs)
        #expect(try registry.info(of: file, limits: DecodingLimits()).frameCount == count)
        #expect(Self.color(try DecoderRegistry(.codecs).animation(of: file, options: DecodeOptions()).frame(at: 0)) == Self.green)
        #expect(Self.color(try registry.decode(file, options: DecodeOptions())) == Self.green)
        let scaled = try registry.decode(file, options: .with { $0.targetSize = PixelSize(width: 2, height: 2) })
        #expect(scaled.size == PixelSize(width: 2, height: 2))
        #expect(Self.color(scaled) == Self.green)
    }

    @Test(arguments: [1, 60, 10_000])
    func theFirstFrameIsPreviewedInsteadOfASeparateDefaultImage(pieces: Int) throws {
        let file = Self.animationWithSeparateDefault(count: 2)
        let previews = try PNGDecoder().previews(of: file.dropLast(12), piece: pieces)
        #expect(previews.map(Self.color) == [Self.green] && previews.allSatisfy(\.isPreview))
    }

    private static var damagedHeads: [Data] {
        let file = animationWithSeparateDefault(count: 2)
        var wrongChecksum = file
        wrongChecksum[32] ^= 1
        let header = file.prefix(33)
        return [wrongChecksum, header + PNGBuilder.chunk("`TLc", big(0)) + file.dropFirst(33)]
    }

    @Test(arguments: damagedHeads, [nil, PixelSize(width: 2, height: 2)])
    func aDamagedHeaderIsAnErrorAlthoughTheAnimationCouldBeRead(file: Data, size: PixelSize?) throws {
        let options = DecodeOptions.with { $0.targetSize = size }
        for frame in 0..<2 {
            var options = options
            options.frame = frame
            let error = #expect(throws: ImageError.self) { try PNGDecoder().decode(file, options: options) }
            #expect(error?.code == .corrupt)
        }
    }

    @Test func aSeparateDefaultImageReplacesAnIncompleteFirstFrame() throws {
        let file = Self.animationWithSeparateDefault(count: 1)
        let whole = file.count - 12
        // The frame's `fcTL` is missing, its data is missing, or its data is truncated.
        for missing in [110, 79, 30] {
            let cut = Data(file.prefix(whole - missing))
            let image = try PNGDecoder().decode(cut, options: .with { $0.allowsPartial = true })
            #expect(Self.color(image) == Self.red)
            #expect(image.isPartial)
            let error = #expect(throws: ImageError.self) { try PNGDecoder().decode(cut, options: DecodeOptions()) }
            #expect(error?.code == .truncated)
        }
        var damaged = file
        // The sequence number in the frame's `fcTL`.
        let control = try #require(file.range(of: Data("fcTL".utf8)))
        damaged[control.upperBound + 3] = 9
        #expect(Self.color(try PNGDecoder().decode(damaged, options: DecodeOptions())) == Self.red)
    }

    @Test(arguments: [3, 200, 0x7FFF_FFFF, 0xFFFF_FFFF])
    func aFrameCountBeyondTheFilesFramesIsIgnored(announced: Int) throws {
        let file = Self.animation(announced: announced, count: 3)
        #expect(try PNGDecoder().info(of: file, limits: DecodingLimits()).frameCount == 3)
        var options = DecodeOptions()
        options.frame = 2
        #expect(try PNGDecoder().decode(file, options: options).size == PixelSize(width: 4, height: 4))
        options.frame = 3
        let error = #expect(throws: ImageError.self) { try PNGDecoder().decode(file, options: options) }
        #expect(error?.code == .invalidRequest)
    }

    /// A file of two frames of 4x4 pixels, red and green, of which one chunk is changed or missing.
    private static func changed(
        _ name: String, number: Int = 0, separate: Bool = false, _ change: ([UInt8]) -> [UInt8]?
    ) -> Data {
        let file = separate ? animationWithSeparateDefault(count: 2) : animation(announced: 2, count: 2)
        var count = 0
        return PNGChunks(file).reduce(Data(PNGChunks.signature)) { result, chunk in
            guard chunk.type == name else { return result + PNGBuilder.chunk(chunk.type, Array(chunk.content)) }
            defer { count += 1 }
            guard count == number else { return result + PNGBuilder.chunk(chunk.type, Array(chunk.content)) }
            return result + (change(Array(chunk.content)).map { PNGBuilder.chunk(name, $0) } ?? Data())
        }
    }

    private static func setting(_ index: Int, _ value: UInt8) -> ([UInt8]) -> [UInt8]? {
        { content in
            var content = content
            content[index] = value
            return content
        }
    }

    @Test(arguments: [false, true])
    func aFileWithAnInvalidFirstFrameShowsItsDefaultImage(separate: Bool) throws {
        // A wrong number, outside of the canvas, empty, another size, an unknown disposal and blending, too short.
        var files = [(3, 7), (15, 1), (19, 1), (7, 0), (24, 3), (25, 2)].map { index, value in
            Self.changed("fcTL", separate: separate, Self.setting(index, UInt8(value)))
        }
        files.append(Self.changed("fcTL", separate: separate) { Array($0.dropLast()) })
        files.append(Self.changed("fcTL", separate: separate) { _ in nil })
        if !separate { files.append(Self.changed("fcTL", Self.setting(7, 3))) }
        // An animation of no frames, and an announcement that is too short or missing.
        files.append(Self.changed("acTL", separate: separate, Self.setting(3, 0)))
        files.append(Self.changed("acTL", separate: separate) { Array($0.dropLast()) })
        files.append(Self.changed("acTL", separate: separate) { _ in nil })
        if separate { files.append(Self.changed("fdAT", separate: true, Self.setting(3, 9))) }
        let plain = try PNGDecoder().decode(files[files.count - 1], options: DecodeOptions()).bitmap
        for file in files {
            #expect(try PNGDecoder().info(of: file, limits: DecodingLimits()).frameCount == 1)
            let animation = try PNGDecoder().animation(of: file, options: DecodeOptions())
            #expect(animation.frameCount == 1)
            let image = try PNGDecoder().decode(file, options: DecodeOptions())
            #expect(image.bitmap.all == plain.all)
            #expect(try animation.frame(at: 0).bitmap.convertedToRGBA8().all == plain.all)
            #expect(!image.isPartial)
        }
    }

    @Test
    func anInvalidLaterFrameIsAnErrorWhenItIsShown() throws {
        var files = [(3, 7), (15, 1), (19, 1), (7, 0), (24, 3), (25, 2)].map { index, value in
            Self.changed("fcTL", number: 1, Self.setting(index, UInt8(value)))
        }
        files.append(Self.changed("fdAT", Self.setting(3, 9)))
        files.append(Self.changed("fdAT") { _ in nil })
        for file in files {
            let image = try PNGDecoder().decode(file, options: DecodeOptions())
            #expect(!image.isPartial)
            let animation = try PNGDecoder().animation(of: file, options: DecodeOptions())
            #expect(animation.frameCount == 2)
            #expect(try PNGDecoder().info(of: file, limits: DecodingLimits()).frameCount == 2)
            _ = try animation.frame(at: 0)
            #expect(throws: ImageError.self) { try animation.frame(at: 1) }
            // An encoder of animations names the frame.
            let error = #expect(throws: ImageError.self) {
                try WebPEncoder().encode(animation, as: .webp, options: EncodeOptions())
            }
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains("Frame 2") == true)
        }
    }

    @Test
    func aFrameWithAWrongChecksumIsAnError() throws {
        for name in ["fcTL", "fdAT"] {
            var file = Self.animation(announced: 2, count: 2)
            let chunk = try #require(PNGChunks(file).filter { $0.type == name }.last)
            let place = try #require(file.range(of: Data(chunk.content)))
            file[place.upperBound] ^= 1
            _ = try PNGDecoder().decode(file, options: DecodeOptions())
            let animation = try PNGDecoder().animation(of: file, options: DecodeOptions())
            if name == "fcTL" {
                #expect(animation.frameCount == 1)
            } else {
                #expect(throws: ImageError.self) { try animation.frame(at: 1) }
            }
        }
    }

    @Test
    func framesBeyondTheAnnouncedNumberDoNotCount() throws {
        let file = Self.animation(announced: 2, count: 3)
        #expect(try PNGDecoder().info(of: file, limits: DecodingLimits()).frameCount == 2)
        let animation = try PNGDecoder().animation(of: file, options: DecodeOptions())
        #expect(animation.frameCount == 2)
        _ = try animation.frame(at: 1)
        #expect(throws: ImageError.self) { try PNGDecoder().decode(file, options: .with { $0.frame = 2 }) }
    }

    @Test func aTruncatedFrameIsAnErrorAndNoTrap() throws {
        let file = Self.animation(announced: 3, count: 3)
        for length in stride(from: 60, to: file.count, by: 7) {
            for frame in 1..<3 {
                var options = DecodeOptions()
                options.frame = frame
                do {
                    #expect(try PNGDecoder().decode(Data(file.prefix(length)), options: options).size.width == 4)
                } catch {
                    #expect(error is ImageError)
                }
            }
        }
    }

    @Test func aMissingFrameIsRefused() throws {
        let file = try APNGFile(Self.animation(announced: 3, count: 2), limits: DecodingLimits())
        let animation = try ComposedAnimation(file, options: DecodeOptions())
        #expect(throws: ImageError.self) { try animation.frame(at: 2) }
        _ = try animation.frame(at: 1)
    }
}
