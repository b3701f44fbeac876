import Foundation
import ImageCore
import ImageCodecs
import ImageDecoding
import ImageKernels

/// A rectangle in pixels.
struct Rectangle: Equatable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
}

/// The image of a file as GTK is expected to draw it, precise enough to distinguish it from other images.
struct ReferenceImage {
    let width: Int
    let height: Int
    private let rgba: [UInt8]
    private let bytesPerRow: Int
    private let isStraight: Bool

    /// - Parameter size: the size that the image covers; by default the image is not scaled.
    init(_ file: Data, covering size: PixelSize? = nil) throws {
        var options = DecodeOptions()
        (options.targetSize, options.contentMode) = (size, .fill)
        let bitmap = try DecoderRegistry(.codecs).decode(file, options: options).bitmap.convertedToRGBA8()
        (width, height, isStraight) = (bitmap.width, bitmap.height, bitmap.alpha == .straight)
        bytesPerRow = bitmap.bytesPerRow
        rgba = unsafe bitmap.withUnsafePixels { unsafe Array($0) }
    }

    /// The bounds of the image if all of it is shown in the middle of `area`, never enlarged.
    func bounds(within area: Rectangle) -> Rectangle {
        let scale = min(1, Double(area.width) / Double(width), Double(area.height) / Double(height))
        let size = (Int(Double(width) * scale), Int(Double(height) * scale))
        return Rectangle(
            x: area.x + (area.width - size.0) / 2, y: area.y + (area.height - size.1) / 2, width: size.0,
            height: size.1)
    }

    /// The colours of the image over a background, scaled to a size: it covers the size, or is stretched to it.
    func samples(_ width: Int, _ height: Int, covering: Bool, over background: [Int]) -> ColorSamples {
        let (across, down) = (Double(width) / Double(self.width), Double(height) / Double(self.height))
        let scale = covering ? (max(across, down), max(across, down)) : (across, down)
        return ColorSamples(width, height) { x, y in
            let column = (Double(x) + 0.5 - Double(width) / 2) / scale.0 + Double(self.width) / 2
            let row = (Double(y) + 0.5 - Double(height) / 2) / scale.1 + Double(self.height) / 2
            let offset = clamp(row, self.height) * bytesPerRow + clamp(column, self.width) * 4
            let alpha = Int(rgba[offset + 3])
            return (0..<3).map {
                (Int(rgba[offset + $0]) * (isStraight ? alpha : 255) + background[$0] * (255 - alpha)) / 255
            }
        }
    }

    private func clamp(_ value: Double, _ count: Int) -> Int { min(count - 1, max(0, Int(value))) }
}

/// The colours of some small squares of a rectangle, without its upper left corner, where a badge may be.
struct ColorSamples {
    private var samples: [[Int]] = []

    init(_ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> [Int]) {
        for y in stride(from: 0, through: height - 8, by: 16) {
            for x in stride(from: 0, through: width - 8, by: 16) where x > 24 || y > 24 {
                let colors = [(1, 1), (5, 1), (3, 3), (1, 5), (5, 5)].map { pixel(x + $0.0, y + $0.1) }
                samples.append((0..<3).map { index in colors.reduce(0) { $0 + $1[index] } / colors.count })
            }
        }
    }

    /// The mean difference per sample and component, 0 to 255.
    func difference(from other: ColorSamples) -> Int {
        let sum = zip(samples, other.samples).reduce(0) { sum, pair in
            sum + (0..<3).reduce(0) { $0 + abs(pair.0[$1] - pair.1[$1]) }
        }
        return samples.count == other.samples.count && !samples.isEmpty ? sum / (samples.count * 3) : 255
    }
}
