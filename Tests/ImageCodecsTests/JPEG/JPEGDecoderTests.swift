import CalotypeTesting
import Foundation
import ProjectFiles
import ImageCore
import TestBitmaps
import ImageCodecs
import Testing
import Timing

@Suite struct JPEGDecoderTests {
    let decoder = JPEGDecoder()
    let blocks = PixelSize(width: 3, height: 2)

    private func decode(
        components: Int, adobe: Int?, _ value: [Int]
    ) throws -> (pixel: [Int], info: ImageInfo) {
        let file = JPEGBuilder(blocks: blocks, components: components, adobeTransform: adobe) { _, _ in value }.file
        let image = try decoder.decode(file, options: DecodeOptions())
        #expect(image.size == PixelSize(width: 24, height: 16))
        #expect(Set(image.bitmap.all).count == 1)
        return (image.bitmap[5, 5], try decoder.info(of: file, limits: DecodingLimits()))
    }

    @Test
    func grayscaleStaysOneChannel() throws {
        let (pixel, info) = try decode(components: 1, adobe: nil, [77])
        #expect(pixel == [77])
        #expect(info.colorModel == .gray)
    }

    @Test
    func threeComponentsAreYCbCrUnlessTheAdobeMarkerSaysRGB() throws {
        // Y 120, Cb 90, Cr 170 is 120 + 1.402 × 42, 120 - 0.344 × -38 - 0.714 × 42, 120 + 1.772 × -38 (JFIF).
        #expect(try decode(components: 3, adobe: nil, [120, 90, 170]).pixel == [179, 103, 53, 255])
        #expect(try decode(components: 3, adobe: 0, [120, 90, 170]).pixel == [120, 90, 170, 255])
    }

    @Test
    func cmykIsReadWithAndWithoutTheAdobeMarker() throws {
        // 255 is no ink, as in browsers. (255, 128, 0) × 200/255.
        for adobe in [0, nil] {
            let (pixel, info) = try decode(components: 4, adobe: adobe, [255, 128, 0, 200])
            #expect(pixel == [200, 100, 0, 255])
            #expect(info.colorModel == .cmyk)
        }
        // YCCK is CMYK with the first three components converted to YCbCr.
        #expect(try decode(components: 4, adobe: 2, [100, 128, 128, 255]).pixel == [155, 155, 155, 255])
    }

    @Test(arguments: [nil, 0, 2])
    func cmykIsOpaqueAndTheSameAtEverySize(adobe: Int?) throws {
        let file = JPEGBuilder(blocks: PixelSize(width: 8, height: 8), components: 4, adobeTransform: adobe) { _, _ in
            adobe == 2 ? [100, 128, 128, 255] : [255, 128, 0, 200]
        }.file
        let full = try decoder.decode(file, options: DecodeOptions()).bitmap
        for side in [64, 20, 8, 3] {
            let bitmap = try decoder.decode(file, options: .with { $0.targetSize = PixelSize(width: side, height: side) }).bitmap
            #expect(bitmap.alpha == .opaque)
            #expect(Set(bitmap.all) == Set(full.all))
        }
    }

    @Test(arguments: [0, 3, 1000], [false, true])
    func anImageWithoutItsEndMarkerIsWhole(padding: Int, isProgressive: Bool) throws {
        var options = EncodeOptions()
        options.isProgressive = isProgressive
        let whole = try JPEGEncoder().encode(DecodedImage(photo(64, 48)), as: .jpeg, options: options)
        let file = whole.dropLast(2) + Data(count: padding)
        let image = try decoder.decode(file, options: DecodeOptions())
        #expect(!image.isPartial)
        #expect(image.bitmap.isSame(as: try decoder.decode(whole, options: DecodeOptions()).bitmap))
        // A scan or a part of one is missing.
        guard isProgressive else { return }
        let last = try #require(whole.lastRange(of: Data([0xFF, 0xDA])))
        // Zeros are valid data of a scan, so that only a scan without them lacks data.
        for length in [last.lowerBound] + (padding == 0 ? [last.lowerBound - 9, last.lowerBound + 20] : []) {
            let error = #expect(throws: ImageError.self) {
                try decoder.decode(whole.prefix(length) + Data(count: padding), options: DecodeOptions())
            }
            #expect(error.map { [.truncated, .corrupt].contains($0.code) } == true)
        }
    }

    @Test(arguments: [0, 8])
    func aComponentWithoutAScanIsMissing(padding: Int) throws {
        // Given: a baseline file with a scan for each component.
        let file = try Data(contentsOf: ProjectFiles.fixtures.appending(path: "three-scans.jpg"))
        let last = try #require(file.lastRange(of: Data([0xFF, 0xDA])))
        #expect(try decoder.decode(file.dropLast(2) + Data(count: padding), options: DecodeOptions()).isPartial == false)
        let error = #expect(throws: ImageError.self) {
            try decoder.decode(file.prefix(last.lowerBound) + Data(count: padding), options: DecodeOptions())
        }
        #expect(error?.code == .truncated)
    }

    @Test(arguments: 1...8, [false, true])
    func exifOrientationIsApplied(orientation: Int, bigEndian: Bool) throws {
        let file = JPEGBuilder(
            blocks: blocks, components: 1,
            segments: [(0xE1, Array("Exif".utf8) + [0, 0] + exif(orientation, bigEndian: bigEndian))]
        ) { x, y in [40 * (3 * y + x)] }.file
        let upright = try decoder.decode(file, options: DecodeOptions()).bitmap
        // The blocks in the order of the upright image.
        let expected: [[Int]] = [
            [0, 1, 2, 3, 4, 5], [2, 1, 0, 5, 4, 3], [5, 4, 3, 2, 1, 0], [3, 4, 5, 0, 1, 2],
            [0, 3, 1, 4, 2, 5], [3, 0, 4, 1, 5, 2], [5, 2, 4, 1, 3, 0], [2, 5, 1, 4, 0, 3],
        ]
        let width = orientation < 5 ? 3 : 2
        let seen = (0..<6).map { upright[($0 % width) * 8 + 4, ($0 / width) * 8 + 4][0] }
        #expect(seen == expected[orientation - 1].map { 40 * $0 })
        #expect(try decoder.info(of: file, limits: DecodingLimits()).orientation.rawValue == orientation)
    }

    @Test
    func aProgressiveHeaderThatClaimsAHugeImageIsRefusedAtOnce() throws {
        // Given: SOF2 of 65,500 × 65,500 with three components, and a scan: less than a kilobyte.
        var file = Data([0xFF, 0xD8]) + JPEGBuilder.segment(0xDB, [0] + Array(repeating: 1, count: 64))
        file += JPEGBuilder.segment(0xC2, [8, 0xFF, 0xDC, 0xFF, 0xDC, 3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0])
        file += JPEGBuilder.segment(0xC4, [0x00, 1] + Array(repeating: 0, count: 15) + [0])
        file += JPEGBuilder.segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 0, 0]) + Data(repeating: 0, count: 500)
        // When, then:
        let time = ThreadTime.measure {
            for options in [DecodeOptions(), .with { $0.targetSize = PixelSize(width: 10, height: 10) }] {
                let error = #expect(throws: ImageError.self) { try decoder.decode(file, options: options) }
                #expect(error?.code == .tooLarge)
            }
        }
        #expect(time < .seconds(1))
        // The coefficients count, too: 8,000 × 8,000 pixels are within the pixel limit, but their coefficients exceed a
        // small byte limit.
        #expect(throws: ImageError.self) {
            try decoder.decode(progressive(scans: 1), options: .with { $0.limits.imageBytes = 10_000 })
        }
    }

    @Test
    func aProgressiveFileWithTooManyScansIsRefused() throws {
        let file = try progressive(scans: 30)
        #expect(try decoder.decode(file, options: .with { $0.limits.scans = 40 }).size == PixelSize(width: 64, height: 48))
        let error = #expect(throws: ImageError.self) {
            try decoder.decode(file, options: .with { $0.limits.scans = 20 })
        }
        #expect(error?.code == .tooLarge)
    }

    /// A progressive image that repeats its last scan that many times.
    private func progressive(scans: Int) throws -> Data {
        let bitmap = try photo(64, 48)
        let file = try JPEGEncoder().encode(DecodedImage(bitmap), as: .jpeg, options: effort(9))
        let last = try #require(file.lastRange(of: Data([0xFF, 0xDA])))
        return file.dropLast(2) + Data((1..<scans).flatMap { _ in file[last.lowerBound..<(file.count - 2)] }) + [0xFF, 0xD9]
    }

    private func effort(_ effort: Int) -> EncodeOptions {
        var options = EncodeOptions()
        options.effort = effort
        return options
    }
}

extension Data {
    fileprivate func lastRange(of other: Data) -> Range<Int>? {
        (0...(count - other.count)).reversed().first { self[$0..<($0 + other.count)] == other }.map { $0..<($0 + other.count) }
    }
}
