import Foundation
import ImageCore
import ImageDecoding
import TestBitmaps
import Testing

@testable import ImageCodecs

/// Files that the container turns and mirrors (HEIF, 6.5.10 and 6.5.12; FEATURES 8.3).
@Suite struct AVIFOrientationTests {
    private static let size = PixelSize(width: 64, height: 32)
    private let red = [230, 30, 30]
    private let green = [30, 230, 30]
    private let blue = [30, 30, 230]
    private let white = [230, 230, 230]

    private func file(_ orientation: Orientation) throws -> Data {
        let source = try bitmap(Self.size.width, Self.size.height) { x, y in
            (y < 16 ? (x < 32 ? red : green) : (x < 32 ? blue : white)).map { UInt8($0) } + [255]
        }
        var options = EncodeOptions()
        (options.quality, options.effort, options.orientation) = (100, 0, orientation)
        return try AVIFEncoder().encode(DecodedImage(source), as: .avif, options: options)
    }

    /// The colours of the corners, row by row.
    private func corners(_ bitmap: Bitmap) -> [[Int]] {
        let (right, bottom) = (bitmap.width - 4, bitmap.height - 4)
        return [bitmap[3, 3], bitmap[right, 3], bitmap[3, bottom], bitmap[right, bottom]].map {
            $0.prefix(3).map { $0 > 128 ? 230 : 30 }
        }
    }

    @Test(arguments: 0..<4)
    func quarterTurnsAreAntiClockwise(turns: Int) throws {
        // Given: a file whose container has a turn, to which the number of turns is written.
        var file = try file(.left)
        let turn = try #require(file.range(of: Data("irot".utf8)))
        file[turn.upperBound] = UInt8(turns)
        // After a turn, the right column is the top row.
        let expected = [
            [red, green, blue, white], [green, white, red, blue], [white, blue, green, red], [blue, red, white, green],
        ]
        for box in [nil, PixelSize(width: 20, height: 20)] {
            let bitmap = try AVIFDecoder().decode(file, options: .with { $0.targetSize = box }).bitmap
            #expect(corners(bitmap) == expected[turns])
            #expect((bitmap.width > bitmap.height) == (turns % 2 == 0))
        }
    }

    @Test(arguments: [
        (Orientation.up, [0, 1, 2, 3]), (.upMirrored, [1, 0, 3, 2]), (.down, [3, 2, 1, 0]), (.downMirrored, [2, 3, 0, 1]),
        (.leftMirrored, [0, 2, 1, 3]), (.right, [2, 0, 3, 1]), (.rightMirrored, [3, 1, 2, 0]), (.left, [1, 3, 0, 2]),
    ])
    func everyOrientationIsWrittenAndApplied(orientation: Orientation, places: [Int]) throws {
        let bitmap = try AVIFDecoder().decode(file(orientation), options: DecodeOptions()).bitmap
        #expect(corners(bitmap) == places.map { [red, green, blue, white][$0] })
    }
}
