internal import ImageCore

/// The pixels of an image in a form that does not depend on its format: premultiplied red, green, blue and alpha, 16
/// bits each, row by row.
struct ComparablePixels {
    let size: PixelSize
    private(set) var levels: [UInt16]

    init(_ bitmap: Bitmap) {
        size = bitmap.size
        let (channels, isWide, isStraight) = (bitmap.format.channels, bitmap.format.isWide, bitmap.alpha == .straight)
        var levels: [UInt16] = []
        levels.reserveCapacity(4 * bitmap.width * bitmap.height)
        unsafe bitmap.withUnsafePixels { pixels in
            for y in 0..<bitmap.height {
                for x in 0..<bitmap.width {
                    let start = y * bitmap.bytesPerRow + x * bitmap.format.bytesPerPixel
                    func level(_ channel: Int) -> UInt16 {
                        if isWide { return unsafe pixels.load(fromByteOffset: start + channel * 2, as: UInt16.self) }
                        return UInt16(unsafe pixels[start + channel]) * 257
                    }
                    let alpha = channels == 4 ? level(3) : .max
                    for channel in 0..<3 {
                        let stored = level(channels == 4 ? channel : 0)
                        levels.append(isStraight ? UInt16((UInt64(stored) * UInt64(alpha) + 32_767) / 65_535) : stored)
                    }
                    levels.append(alpha)
                }
            }
        }
        self.levels = levels
    }

    private init(size: PixelSize, levels: [UInt16]) { (self.size, self.levels) = (size, levels) }

    /// The pixel at a position, for a message: 0 to 255.
    func pixel(x: Int, y: Int) -> [Double] {
        levels[(y * size.width + x) * 4..<(y * size.width + x) * 4 + 4].map { (Double($0) / 25.7).rounded() / 10 }
    }

    /// The image after its orientation was applied.
    func applying(_ orientation: Orientation) -> ComparablePixels {
        let (new, w, h) = (orientation.applied(to: size), size.width, size.height)
        var result: [UInt16] = []
        result.reserveCapacity(levels.count)
        for y in 0..<new.height {
            for x in 0..<new.width {
                let (column, row) =
                    switch orientation {
                    case .up: (x, y)
                    case .upMirrored: (w - 1 - x, y)
                    case .down: (w - 1 - x, h - 1 - y)
                    case .downMirrored: (x, h - 1 - y)
                    case .leftMirrored: (y, x)
                    case .right: (y, h - 1 - x)
                    case .rightMirrored: (w - 1 - y, h - 1 - x)
                    case .left: (w - 1 - y, x)
                    }
                result += levels[(row * w + column) * 4..<(row * w + column) * 4 + 4]
            }
        }
        return ComparablePixels(size: new, levels: result)
    }

    /// The image drawn over white.
    func overWhite() -> ComparablePixels {
        var result = levels
        for start in stride(from: 0, to: result.count, by: 4) {
            for channel in 0..<3 { result[start + channel] += .max - levels[start + 3] }
            result[start + 3] = .max
        }
        return ComparablePixels(size: size, levels: result)
    }

    /// The mean of each channel, 0 to 255.
    var means: [Double] {
        var sums = [0.0, 0, 0, 0]
        for (index, level) in levels.enumerated() { sums[index % 4] += Double(level) }
        return sums.map { $0 / Double(max(1, levels.count / 4)) / 257 }
    }

    /// Throws unless the other image has the same size, and pixels that differ by no more than the limits, in levels of
    /// 0 to 255.
    func requireSame(
        as other: ComparablePixels, most: Double = 255, mean: Double = 255, _ what: String
    ) throws(RuleViolation) {
        try require(size == other.size, "\(what) \(size) and \(other.size) pixels.")
        var (sum, largest, place) = (0, 0, 0)
        for index in levels.indices where levels[index] != other.levels[index] {
            let difference = abs(Int(levels[index]) - Int(other.levels[index]))
            sum += difference
            if difference > largest { (largest, place) = (difference, index / 4) }
        }
        let average = Double(sum) / Double(max(1, levels.count)) / 257
        guard Double(largest) / 257 > most || average > mean else { return }
        let (x, y) = (place % size.width, place / size.width)
        throw RuleViolation(
            "\(what) \(pixel(x: x, y: y)) and \(other.pixel(x: x, y: y)) at \(x), \(y) (red, green, blue, alpha).")
    }
}

/// Throws if a premultiplied colour exceeds its alpha, or if an opaque image has a transparent pixel.
func requireValidAlpha(of image: DecodedImage) throws(RuleViolation) {
    let bitmap = image.bitmap
    guard bitmap.format.channels == 4, bitmap.alpha != .straight else { return }
    let pixels = ComparablePixels(bitmap)
    for start in stride(from: 0, to: pixels.levels.count, by: 4) {
        let pixel = pixels.levels[start..<start + 4]
        let (x, y) = (start / 4 % bitmap.width, start / 4 / bitmap.width)
        try require(
            pixel.prefix(3).allSatisfy { $0 <= pixel[start + 3] },
            "A premultiplied colour is above its alpha at \(x), \(y): \(pixels.pixel(x: x, y: y)).")
        try require(
            bitmap.alpha != .opaque || pixel[start + 3] == .max,
            "An image that is marked as opaque is transparent at \(x), \(y): \(pixels.pixel(x: x, y: y)).")
    }
}
