import ImageCore
import ImageDecoding
import TestBitmaps
import Testing

@testable import ImageCodecs

@Suite struct CleanApertureTests {
    private let source = PixelSize(width: 320, height: 213)

    private func signed(_ value: Int32) -> UInt32 { UInt32(bitPattern: value) }

    @Test
    func theVisiblePartIsRelativeToTheCentre() throws {
        // (320 - 160) / 2 + 10 and (213 - 121) / 2 - 3/1.
        let part = try #require(CleanAperture([160, 1, 242, 2, 10, 1, signed(-3), 1], in: source))
        #expect((part.x, part.y) == (90, 43))
        #expect(part.size == PixelSize(width: 160, height: 121))
        // A distance of half a pixel completes a centre of half a pixel.
        let half = try #require(CleanAperture([160, 1, 120, 1, 0, 1, signed(-1), 2], in: source))
        #expect(half.y == 46)
    }

    @Test
    func anInvalidPartShowsTheWholeImage() {
        let bad: [[UInt32]] = [
            [320, 1, 213, 1, 0, 1, 0, 1], [0, 1, 10, 1, 0, 1, 1, 2], [10, 0, 10, 1, 0, 1, 1, 2], [161, 2, 121, 1, 0, 1, 0, 1],
            [160, 1, 120, 1, 0, 1, 0, 1], [400, 1, 121, 1, 0, 1, 0, 1], [160, 1, 121, 1, 200, 1, 0, 1], [160, 1],
            [160, 1, 121, 1, signed(-200), 1, 0, 1], [160, 1, 121, 1, 0, 0, 0, 1],
        ]
        for numbers in bad { #expect(CleanAperture(numbers, in: source) == nil, "\(numbers)") }
        let most = UInt32.max
        #expect(CleanAperture(Array(repeating: most, count: 8), in: source) == nil)
    }

    @Test(.enabled(if: Corpus.root != nil, "no corpus at CALOTYPE_CORPUS or ../shared/corpus"))
    func aCroppedFileShowsItsVisiblePart() throws {
        let file = try Corpus(root: Corpus.root ?? "").data("avif/irot-imir/gen-clap-160x120-center.avif")
        let registry = DecoderRegistry(.codecs)
        let info = try registry.info(of: file, limits: DecodingLimits())
        #expect(info.size == source)
        #expect(info.croppedSize == PixelSize(width: 160, height: 120))
        let stored = try registry.decode(file, options: .with { $0.appliesOrientation = false }).bitmap
        #expect(stored.size == source)
        let part = try registry.decode(file, options: DecodeOptions()).bitmap
        #expect(part.size == PixelSize(width: 160, height: 120))
        for (x, y) in [(0, 0), (159, 0), (0, 119), (159, 119), (80, 60)] {
            #expect(zip(part[x, y], stored[x + 80, y + 20]).allSatisfy { abs($0 - $1) <= 1 }, "\(x), \(y)")
        }
        let small = try registry.decode(file, options: .with { $0.targetSize = PixelSize(width: 40, height: 40) })
        #expect(small.size == PixelSize(width: 40, height: 30))
    }
}
