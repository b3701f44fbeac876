import Foundation
import ImageCore
import ImageCodecs
import ImageDecoding
import Testing

/// A screenshot of Xvfb: an XWD file (X11/XWDFile.h) with a header of big-endian words and rows of BGRX pixels.
struct Screen {
    private let data: Data
    private let start: Int
    private let bytesPerRow: Int
    private let width: Int
    private let height: Int

    init(_ data: Data) throws {
        func word(_ index: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(data[index * 4 + $1]) } }
        self.data = data
        (width, height, bytesPerRow) = (word(4), word(5), word(12))
        start = word(0) + word(19) * 12
        try #require(word(11) == 32 && word(7) == 0 && data.count >= start + bytesPerRow * height)
    }

    /// The red, green and blue of a pixel; black outside the screen.
    func pixel(_ x: Int, _ y: Int) -> [Int] {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return [0, 0, 0] }
        let offset = start + y * bytesPerRow + x * 4
        return [Int(data[offset + 2]), Int(data[offset + 1]), Int(data[offset])]
    }

    /// Counts the pixels of a square whose colour is not the expected one. Pixels outside the window and those for
    /// which `expected` returns `nil` do not count.
    func countDifferentPixels(
        from expected: (_ x: Int, _ y: Int) -> [Int]?, inSquareOf side: Int, x left: Int, y top: Int,
        window: (width: Int, height: Int)
    ) -> Int {
        var count = 0
        for y in 0..<side where (0..<min(height, window.height)).contains(top + y) {
            // The scroll bar covers the right edge.
            for x in 0..<side where (0..<min(width, window.width - 20)).contains(left + x) {
                if let color = expected(x, y), pixel(left + x, top + y) != color { count += 1 }
            }
        }
        return count
    }

    /// Writes a PNG file into the folder that `CALOTYPE_ARTIFACTS` names, or by default into the build folder.
    func save(as name: String) throws {
        let bitmap = try unsafe Bitmap(size: PixelSize(width: width, height: height), format: .rgba8, alpha: .opaque) {
            pixels, row in
            for y in 0..<height {
                for x in 0..<width {
                    for (index, value) in (pixel(x, y) + [255]).enumerated() {
                        unsafe pixels[y * row + x * 4 + index] = UInt8(value)
                    }
                }
            }
        }
        let folder = URL(filePath: ProcessInfo.processInfo.environment["CALOTYPE_ARTIFACTS"] ?? ".build/artifacts")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try EncoderRegistry(.codecs).encode(DecodedImage(bitmap), as: .png, options: EncodeOptions())
            .write(to: folder.appending(path: "\(name).png"))
    }
}
