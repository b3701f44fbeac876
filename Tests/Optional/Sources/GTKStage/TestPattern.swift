import Foundation
import ImageCodecs
import ImageCore

/// Images that differ in each of their parts, twice as large as a cell.
enum TestPattern {
    /// Four quarters, each in one colour.
    static func quarters(_ number: Int, side: Int = 192) throws -> DecodedImage {
        try image(side) { x, y in
            [number % 256, number / 256 * 31, ((y >= side / 2 ? 2 : 0) + (x >= side / 2 ? 1 : 0)) * 80]
        }
    }

    /// An animated WebP file whose quarters turn, 20 times per second, without an end.
    static func animation(_ number: Int) throws -> Data {
        let images = try (0..<4).map { turn in
            try image(192) { x, y in
                [number % 256, number / 256 * 31, (((y >= 96 ? 2 : 0) + (x >= 96 ? 1 : 0) + turn) % 4) * 80]
            }
        }
        return try WebPEncoder().encode(Turning(images), as: .webp, options: EncodeOptions()) ?? Data()
    }

    private final class Turning: ImageAnimation {
        let images: [DecodedImage]
        let durations: [Duration]
        let loopCount = 0
        init(_ images: [DecodedImage]) {
            (self.images, durations) = (images, images.map { _ in .milliseconds(50) })
        }
        func frame(at index: Int) -> DecodedImage { images[index] }
    }

    /// A chequerboard of single pixels, which any scaling would blend.
    static func chequerboard(_ number: Int) throws -> DecodedImage {
        try image(192) { x, y in (x + y) % 2 == 0 ? [number % 256, 0, 255] : [0, number % 256, 0] }
    }

    private static func image(_ side: Int, _ color: (_ x: Int, _ y: Int) -> [Int]) throws -> DecodedImage {
        DecodedImage(
            try unsafe Bitmap(size: PixelSize(width: side, height: side), format: .rgba8, alpha: .opaque) { pixels, row in
                for y in 0..<side {
                    for x in 0..<side {
                        for (index, value) in (color(x, y) + [255]).enumerated() {
                            unsafe pixels[y * row + x * 4 + index] = UInt8(value)
                        }
                    }
                }
            })
    }
}
