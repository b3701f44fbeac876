public import ImageCore

/// A letter in the corner of a picture that says which tier had it: M for memory, D for disk, N for network; white on
/// green, blue and red.
///
/// A pure value: draws into a copy, and leaves pictures smaller than the badge as they are.
public struct TierBadge: Hashable, Sendable {
    public var tier: CacheTier

    public init(_ tier: CacheTier) { self.tier = tier }

    /// Red, green, blue of the ground, 0 to 255.
    public var color: (red: UInt8, green: UInt8, blue: UInt8) {
        switch tier {
        case .memory: (30, 130, 60)
        case .disk: (30, 80, 190)
        case .network: (200, 40, 40)
        }
    }

    /// The letter in five columns and seven rows, one number a row, the most significant of five bits leftmost.
    private var glyph: [UInt8] {
        switch tier {
        case .memory: [0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001]
        case .disk: [0b11110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b11110]
        case .network: [0b10001, 0b11001, 0b10101, 0b10101, 0b10011, 0b10001, 0b10001]
        }
    }

    /// The ground's size in units, the letter's and one unit around it.
    private static let columns = 7, rows = 9

    /// Pixels of one unit of the badge on a picture: a seventh of the shorter side for the whole badge, at least 1.
    static func unit(for size: PixelSize) -> Int { max(1, min(size.width, size.height) / (7 * rows)) }

    /// The picture with the badge in its upper left corner.
    public func drawn(on image: DecodedImage) -> DecodedImage {
        let old = image.bitmap
        let unit = TierBadge.unit(for: old.size)
        guard old.width >= TierBadge.columns * unit, old.height >= TierBadge.rows * unit else { return image }
        let marked = try? unsafe Bitmap(size: old.size, format: old.format, alpha: old.alpha, colorSpace: old.colorSpace) {
            pixels, bytesPerRow in
            unsafe old.withUnsafePixels { unsafe pixels.copyMemory(from: $0) }
            for y in 0..<TierBadge.rows * unit {
                for x in 0..<TierBadge.columns * unit {
                    let pixel = samples(isInk: isInk(x / unit, y / unit), format: old.format)
                    for (index, byte) in pixel.enumerated() {
                        unsafe pixels[y * bytesPerRow + x * pixel.count + index] = byte
                    }
                }
            }
        }
        return marked.map(image.with) ?? image
    }

    private func isInk(_ column: Int, _ row: Int) -> Bool {
        guard (1...5).contains(column), (1...7).contains(row) else { return false }
        return glyph[row - 1] >> UInt8(5 - column) & 1 == 1
    }

    /// One pixel as the format has it. Both bytes of a 16-bit sample are alike, so their order does not matter.
    private func samples(isInk: Bool, format: PixelFormat) -> [UInt8] {
        let (red, green, blue) = isInk ? (255, 255, 255) : color
        // Rec. 709 luminance, near enough for a debugging aid.
        let gray = UInt8((Int(red) * 54 + Int(green) * 183 + Int(blue) * 19) >> 8)
        let channels = format.channels == 1 ? [isInk ? 255 : gray] : [red, green, blue, 255]
        return format.bytesPerPixel == format.channels ? channels : channels.flatMap { [$0, $0] }
    }
}
