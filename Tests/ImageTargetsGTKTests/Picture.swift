#if GTK
    import Foundation
    import ImageCore
    import ImageCodecs
    import ImageDecoding
    import ImageKernels

    struct Rectangle: Equatable {
        var x: Int
        var y: Int
        var width: Int
        var height: Int
    }

    /// A file's picture as GTK is expected to show it, by colours that are good enough to tell it from others.
    struct Picture {
        let width: Int
        let height: Int
        private let rgba: [UInt8]
        private let bytesPerRow: Int
        private let isStraight: Bool

        /// - Parameter size: to be covered, if any; else the picture keeps its own.
        init(_ file: Data, covering size: PixelSize? = nil) throws {
            var options = DecodeOptions()
            (options.targetSize, options.contentMode) = (size, .fill)
            let bitmap = try DecoderRegistry(.codecs).decode(file, options: options).bitmap.convertedToRGBA8()
            (width, height, isStraight) = (bitmap.width, bitmap.height, bitmap.alpha == .straight)
            bytesPerRow = bitmap.bytesPerRow
            rgba = unsafe bitmap.withUnsafePixels { unsafe Array($0) }
        }

        /// Where it lies if it is shown as a whole in the middle, and never enlarged.
        func place(within place: Rectangle) -> Rectangle {
            let scale = min(1, Double(place.width) / Double(width), Double(place.height) / Double(height))
            let size = (Int(Double(width) * scale), Int(Double(height) * scale))
            return Rectangle(
                x: place.x + (place.width - size.0) / 2, y: place.y + (place.height - size.1) / 2, width: size.0,
                height: size.1)
        }

        /// Its look in a rectangle of that size, which it covers or fills, over a background.
        func look(_ width: Int, _ height: Int, covering: Bool, over background: [Int]) -> Look {
            let (across, down) = (Double(width) / Double(self.width), Double(height) / Double(self.height))
            let scale = covering ? (max(across, down), max(across, down)) : (across, down)
            return Look(width, height) { x, y in
                let column = (Double(x) + 0.5 - Double(width) / 2) / scale.0 + Double(self.width) / 2
                let row = (Double(y) + 0.5 - Double(height) / 2) / scale.1 + Double(self.height) / 2
                let at = clamp(row, self.height) * bytesPerRow + clamp(column, self.width) * 4
                let alpha = Int(rgba[at + 3])
                return (0..<3).map { (Int(rgba[at + $0]) * (isStraight ? alpha : 255) + background[$0] * (255 - alpha)) / 255 }
            }
        }

        private func clamp(_ value: Double, _ count: Int) -> Int { min(count - 1, max(0, Int(value))) }
    }

    /// The colours of some small parts of a rectangle, without its upper left corner, where a badge may be.
    struct Look {
        private var parts: [[Int]] = []

        init(_ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> [Int]) {
            for y in stride(from: 0, through: height - 8, by: 16) {
                for x in stride(from: 0, through: width - 8, by: 16) where x > 24 || y > 24 {
                    let colors = [(1, 1), (5, 1), (3, 3), (1, 5), (5, 5)].map { pixel(x + $0.0, y + $0.1) }
                    parts.append((0..<3).map { part in colors.reduce(0) { $0 + $1[part] } / colors.count })
                }
            }
        }

        /// Per part and component, 0 to 255.
        func difference(from other: Look) -> Int {
            let sum = zip(parts, other.parts).reduce(0) { sum, pair in
                sum + (0..<3).reduce(0) { $0 + abs(pair.0[$1] - pair.1[$1]) }
            }
            return parts.count == other.parts.count && !parts.isEmpty ? sum / (parts.count * 3) : 255
        }
    }
#endif
