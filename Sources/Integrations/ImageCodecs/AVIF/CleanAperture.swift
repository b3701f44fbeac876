internal import ImageCore

/// The visible part of an image (`clap`, ISO/IEC 14496-12, 12.1.4), in whole pixels as stored.
struct CleanAperture: Hashable {
    let x: Int, y: Int
    let size: PixelSize

    /// - Parameters:
    ///   - numbers: the width, the height, and the horizontal and vertical offset of the centre from the image's, each
    ///     as numerator and denominator. The offsets are signed.
    /// - Returns: `nil` if the numbers give no whole pixels inside the image, which is then shown completely.
    init?(_ numbers: [UInt32], in stored: PixelSize) {
        guard numbers.count == 8,
            let width = Self.whole(numbers[0], numbers[1]), let height = Self.whole(numbers[2], numbers[3]),
            let x = Self.start(of: width, in: stored.width, numbers[4], numbers[5]),
            let y = Self.start(of: height, in: stored.height, numbers[6], numbers[7])
        else { return nil }
        (self.x, self.y) = (x, y)
        size = PixelSize(width: width, height: height)
        if size == stored { return nil }
    }

    private static func whole(_ numerator: UInt32, _ denominator: UInt32) -> Int? {
        guard denominator > 0, numerator > 0, numerator % denominator == 0 else { return nil }
        return Int(numerator / denominator)
    }

    /// Returns (whole - part) / 2 + offset, if that is a whole number and the part is inside the image.
    private static func start(of part: Int, in whole: Int, _ numerator: UInt32, _ denominator: UInt32) -> Int? {
        let (n, d) = (Int(Int32(bitPattern: numerator)), Int(Int32(bitPattern: denominator)))
        guard d > 0, part <= whole else { return nil }
        let doubled = (whole - part) * d + 2 * n
        guard doubled >= 0, doubled % (2 * d) == 0, doubled / (2 * d) + part <= whole else { return nil }
        return doubled / (2 * d)
    }
}
