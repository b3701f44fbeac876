public import ImageCore
internal import ImageKernels

/// A badge in the corner of an image that names the tier from which it came: M for memory, D for disk, L for a local
/// source, N for network.
///
/// The letter is white on green, blue, grey or red. Drawing copies the image. An image smaller than the badge gets
/// none.
public struct TierBadge: Hashable, Sendable {
    /// The tier from which the image came.
    public var tier: CacheTier

    /// Makes the badge of a tier.
    public init(_ tier: CacheTier) { self.tier = tier }

    /// The colour of the background: red, green and blue, 0 to 255.
    public var color: (red: UInt8, green: UInt8, blue: UInt8) {
        switch tier {
        case .memory: (30, 130, 60)
        case .disk: (30, 80, 190)
        case .local: (90, 90, 90)
        case .network: (200, 40, 40)
        }
    }

    /// The letter in five columns and seven rows: one number per row, its bit 4 leftmost.
    private var glyph: [UInt8] {
        switch tier {
        case .memory: [0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001]
        case .disk: [0b11110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b11110]
        case .local: [0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b11111]
        case .network: [0b10001, 0b11001, 0b10101, 0b10101, 0b10011, 0b10001, 0b10001]
        }
    }

    /// The size of the background in units: the letter and a margin of one unit.
    private static let columns = 7, rows = 9

    /// The side of one unit in pixels, at least 1. The whole badge is a seventh of the image's shorter side.
    static func unit(for size: PixelSize) -> Int { max(1, min(size.width, size.height) / (7 * rows)) }

    /// Returns the image with the badge in its upper left corner.
    public func drawn(on image: DecodedImage) -> DecodedImage {
        let unit = TierBadge.unit(for: image.size)
        let size = PixelSize(width: TierBadge.columns * unit, height: TierBadge.rows * unit)
        guard image.size.width >= size.width, image.size.height >= size.height else { return image }
        let badge = try? unsafe Bitmap(size: size, format: .rgba8, alpha: .opaque) { pixels, bytesPerRow in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let (red, green, blue) = isInk(x / unit, y / unit) ? (255, 255, 255) : color
                    for (index, level) in [red, green, blue, 255].enumerated() {
                        unsafe pixels[y * bytesPerRow + 4 * x + index] = level
                    }
                }
            }
        }
        let marked = badge.flatMap { try? image.bitmap.overlaid(with: $0, x: 0, y: 0) }
        return marked.map(image.with) ?? image
    }

    private func isInk(_ column: Int, _ row: Int) -> Bool {
        guard (1...5).contains(column), (1...7).contains(row) else { return false }
        return glyph[row - 1] >> UInt8(5 - column) & 1 == 1
    }
}
