#if GTK
    import Foundation
    import ImageCore
    import ImageCodecs
    import ImageDecoding
    import Testing

    /// What is on the screen, as Xvfb keeps it: an XWD file (X11/XWDFile.h), big-endian words, then rows of BGRX.
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

        /// Red, green and blue; black outside.
        func pixel(_ x: Int, _ y: Int) -> [Int] {
            guard (0..<width).contains(x), (0..<height).contains(y) else { return [0, 0, 0] }
            let at = start + y * bytesPerRow + x * 4
            return [Int(data[at + 2]), Int(data[at + 1]), Int(data[at])]
        }

        /// Of the part of a square that is on screen, how many pixels are not of the colour that is wanted there. `nil` wants none
        /// in particular.
        func pixelsThatDiffer(
            from wanted: (_ x: Int, _ y: Int) -> [Int]?, inSquareOf side: Int, x left: Int, y top: Int,
            window: (width: Int, height: Int)
        ) -> Int {
            var wrong = 0
            for y in 0..<side where (0..<min(height, window.height)).contains(top + y) {
                // The scroll bar lies over the right edge.
                for x in 0..<side where (0..<min(width, window.width - 20)).contains(left + x) {
                    if let color = wanted(x, y), pixel(left + x, top + y) != color { wrong += 1 }
                }
            }
            return wrong
        }

        /// Writes it as a PNG into the folder that `CALOTYPE_ARTIFACTS` names, for continuous integration to keep; without one
        /// into the build's.
        func keep(as name: String) throws {
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
#endif
