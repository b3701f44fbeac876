import Foundation
import ImageCodecs
import ImageCore
import ImageDecoding
import TestBitmaps
import Testing

/// Files that break the rules of GIF, and that browsers show (FEATURES 8.1).
@Suite struct GIFDecoderTests {
    private let registry = DecoderRegistry(.codecs)
    private let red = GIFBuilder.colors[0]
    private let green = GIFBuilder.colors[1]
    private let blue = GIFBuilder.colors[2]
    private let clear = [0, 0, 0, 0]

    private func file(_ width: Int, _ height: Int, _ blocks: Data...) -> Data {
        GIFBuilder(screen: PixelSize(width: width, height: height), blocks: blocks).file
    }

    private func shown(_ file: Data, frame: Int = 0) throws -> Bitmap {
        try registry.decode(file, options: .with { ($0.frame, $0.alpha) = (frame, .straight) }).bitmap
    }

    private func animation(_ file: Data) throws -> any ImageAnimation {
        try registry.animation(of: file, options: .with { $0.alpha = .straight })
    }

    private func size(_ file: Data) throws -> PixelSize { try registry.info(of: file, limits: DecodingLimits()).size }

    @Test(arguments: [(0, 0), (2, 2), (0, 5), (5, 0), (4, 4)])
    func theFirstFrameEnlargesTheScreen(width: Int, height: Int) throws {
        let file = file(width, height, GIFBuilder.frame(width: 4, height: 4, Array(repeating: 1, count: 16)))
        let size = PixelSize(width: max(4, width), height: max(4, height))
        #expect(try self.size(file) == size)
        let image = try shown(file)
        try #require(image.size == size)
        #expect(image[3, 3] == green)
        #expect(try registry.decode(file, options: .with { $0.targetSize = .init(width: 2, height: 2) }).size.width <= 2)
        #expect(try animation(file).frame(at: 0).size == size)
    }

    @Test
    func aLaterFrameIsCutAtTheScreen() throws {
        let first = GIFBuilder.frame(width: 2, height: 2, [0, 0, 0, 0])
        let file = file(2, 2, first, GIFBuilder.frame(x: 1, y: 1, width: 4, height: 4, Array(repeating: 1, count: 16)))
        #expect(try shown(file, frame: 1).all == [red, red, red, green])
    }

    @Test(arguments: [(0, 0), (0, 4), (4, 0)])
    func aFrameWithoutASizeHasThatOfTheScreen(width: Int, height: Int) throws {
        let pixels = Array(repeating: 2, count: 16)
        let first = GIFBuilder.frame(width: 4, height: 4, Array(repeating: 0, count: 16))
        let frame = GIFBuilder.frame(width: width, height: height, pixels)
        #expect(try shown(file(4, 4, frame)).all == Array(repeating: blue, count: 16))
        let second = file(4, 4, first, frame)
        #expect(try animation(second).frame(at: 1).bitmap.all == Array(repeating: blue, count: 16))
        // Without a screen there is no size at all.
        let error = #expect(throws: ImageError.self) { try shown(file(0, 0, GIFBuilder.frame(width: 0, height: 0, pixels))) }
        #expect(error?.code == .corrupt)
    }

    @Test
    func aScreenOrAFrameBeyondTheLimitsIsRefused() throws {
        let file = file(0, 0, GIFBuilder.frame(x: 65_535, y: 65_535, width: 65_535, height: 65_535, [1]))
        let error = #expect(throws: ImageError.self) { try shown(file) }
        #expect(error?.code == .tooLarge)
    }

    @Test(arguments: 0...7)
    func disposalsAreThoseOfBrowsers(disposal: Int) throws {
        // 2 clears the frame; 3 and the unknown 4 restore what was below; the others keep it.
        let base = GIFBuilder.frame(width: 2, height: 1, [0, 0])
        let file = file(
            2, 1, base, GIFBuilder.control(disposal: disposal), GIFBuilder.frame(width: 1, height: 1, [1]),
            GIFBuilder.frame(x: 1, width: 1, height: 1, [2]))
        let expected = disposal == 2 ? clear : [3, 4].contains(disposal) ? red : green
        #expect(try animation(file).frame(at: 2).bitmap.all == [expected, blue])
    }

    @Test(arguments: 2...11)
    func codesMayBeginWithUpToElevenBits(bits: Int) throws {
        let file = file(2, 2, GIFBuilder.frame(width: 2, height: 2, [0, 1, 2, 1], startBits: bits))
        #expect(try shown(file).all == [red, green, blue, green])
    }

    @Test(arguments: [12, 255])
    func codesOfMoreBitsAreAnError(bits: Int) throws {
        var file = file(2, 2, GIFBuilder.frame(width: 2, height: 2, [0, 1, 2, 1]))
        file[13 + 12 + 10] = UInt8(bits)
        let error = #expect(throws: ImageError.self) { try shown(file) }
        #expect(error?.code == .corrupt)
    }

    @Test
    func aPixelWithoutDataIsTransparent() throws {
        // The placeholders of web pages: without data, without its first byte, and with the image separator alone.
        let placeholders = [
            "R0lGODlhAQABAAD/ACwAAAAAAQABAAACADs=", "R0lGODlhAQABAAAAACwAAAAAAQABAAA=", "R0lGODlhAQABAAAAACw=",
        ]
        for text in placeholders {
            let file = try #require(Data(base64Encoded: text))
            let image = try registry.decode(file, options: DecodeOptions())
            #expect(image.bitmap.all == [clear])
            #expect(image.bitmap.alpha == .premultiplied)
            #expect(!image.isPartial)
            let info = try registry.info(of: file, limits: DecodingLimits())
            #expect(info.size == PixelSize(width: 1, height: 1))
            #expect(info.hasAlpha)
            #expect(info.frameCount == 1)
        }
    }

    @Test
    func aFrameWithoutDataShowsTheFrameBelow() throws {
        let full = GIFBuilder.frame(width: 2, height: 1, [0, 1])
        let empty = GIFBuilder.frame(width: 2, height: 1, [], hasEndCode: false)
        let frames = try animation(file(2, 1, empty, full, empty))
        // In any order: an empty frame hides nothing.
        #expect(try frames.frame(at: 2).bitmap.all == [red, green])
        #expect(try frames.frame(at: 0).bitmap.all == [clear, clear])
        #expect(try frames.frame(at: 1).bitmap.all == [red, green])
    }

    @Test(arguments: [false, true], [false, true])
    func pixelsThatTheDataLeavesOutAreTransparent(hasEndCode: Bool, isInterlaced: Bool) throws {
        // Four codes fill whole bytes, so that no other code follows them.
        let frame = GIFBuilder.frame(
            width: 3, height: 2, isInterlaced: isInterlaced, [0, 1, 2, 1], hasEndCode: hasEndCode)
        let image = try registry.decode(file(3, 2, frame), options: DecodeOptions())
        #expect(image.bitmap.all == [red, green, blue, green, clear, clear])
        #expect(image.bitmap.alpha == .premultiplied)
        #expect(!image.isPartial)
        // An earlier frame shows through, also if the later one is shown at once.
        let base = GIFBuilder.frame(width: 3, height: 2, Array(repeating: 2, count: 6))
        for order in [[1], [0, 1], [2, 1, 2]] {
            let frames = try animation(file(3, 2, base, frame, frame))
            for index in order {
                let expected = index == 0 ? Array(repeating: blue, count: 6) : [red, green, blue, green, blue, blue]
                #expect(try frames.frame(at: index).bitmap.all == expected)
            }
        }
    }

    @Test
    func dataThatTheFileCutsIsAnErrorOrPartial() throws {
        let whole = file(2, 2, GIFBuilder.frame(width: 2, height: 2, [0, 1, 2, 1]))
        for length in (whole.count - 6)..<(whole.count - 3) {
            let error = #expect(throws: ImageError.self) { try shown(whole.prefix(length)) }
            #expect(error?.code == .truncated)
        }
    }

    @Test
    func repeatsAreFoundInAnySubBlock() throws {
        let frame = GIFBuilder.frame(width: 1, height: 1, [0])
        let buffering: [UInt8] = [2, 0, 0, 1, 0]
        let lists: [([[UInt8]], Int)] = [
            ([[1, 2, 0]], 3), ([buffering, [1, 2, 0]], 3), ([[1, 2, 0], buffering], 3), ([[1, 2, 0, 0, 0]], 3),
            ([[9], [1, 0, 0]], 0), ([[1, 2]], 1), ([buffering], 1), ([[0x41, 7, 0]], 8),
        ]
        for (parts, plays) in lists {
            for name in ["NETSCAPE2.0", "ANIMEXTS1.0"] {
                let file = file(1, 1, GIFBuilder.application(name, parts), frame, frame)
                #expect(try animation(file).loopCount == plays, "\(parts)")
                let webp = try #require(
                    try EncoderRegistry(.codecs).encode(animation(file), as: .webp, options: EncodeOptions()))
                #expect(try animation(webp).loopCount == plays, "\(parts)")
            }
        }
    }

    @Test
    func codesThatGrowAreDecoded() throws {
        // Sequences of the encoder of another program: the corpus has many. Here the table is used: 0, 00, 000, …
        // 6 is the first sequence of a table of 4 indices.
        let codes = [(4, 3), (0, 3), (6, 3), (7, 3), (8, 4), (5, 4)]
        var (bits, count, bytes) = (0, 0, [UInt8]())
        for (code, width) in codes {
            bits |= code << count
            count += width
            while count >= 8 {
                bytes.append(UInt8(bits & 255))
                (bits, count) = (bits >> 8, count - 8)
            }
        }
        bytes.append(UInt8(bits))
        let frame = Data([0x2C, 0, 0, 0, 0, 10, 0, 1, 0, 0, 2, UInt8(bytes.count)] + bytes + [0])
        #expect(try shown(file(10, 1, frame)).all == Array(repeating: red, count: 10))
    }
}
