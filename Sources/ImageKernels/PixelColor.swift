/// A colour in sRGB, straight (not multiplied by its alpha), each component from 0 to 1.
public struct PixelColor: Hashable, Sendable {
    /// The red component.
    public let red: Double
    /// The green component.
    public let green: Double
    /// The blue component.
    public let blue: Double
    /// The opacity.
    public let alpha: Double

    /// Creates a colour. Components are clamped to 0 to 1, and NaN becomes 0.
    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        func unit(_ value: Double) -> Double { value > 0 ? min(1, value) : 0 }
        (self.red, self.green, self.blue, self.alpha) = (unit(red), unit(green), unit(blue), unit(alpha))
    }

    /// Opaque black.
    public static let black = PixelColor(red: 0, green: 0, blue: 0)
    /// Opaque white.
    public static let white = PixelColor(red: 1, green: 1, blue: 1)
    /// Transparent black.
    public static let clear = PixelColor(red: 0, green: 0, blue: 0, alpha: 0)

    /// Parses a colour as in CSS: `rgb`, `rrggbb` or `rrggbbaa` in hexadecimal digits, with or without `#`; `black`,
    /// `white`, `clear`. `nil` for other text.
    public init?(_ text: String) {
        let named: [String: PixelColor] = ["black": .black, "white": .white, "clear": .clear, "transparent": .clear]
        if let color = named[text.lowercased()] {
            self = color
            return
        }
        let digits = text.utf8.drop { $0 == UInt8(ascii: "#") }.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count + (text.hasPrefix("#") ? 1 : 0) == text.utf8.count else { return nil }
        let levels: [Int]
        switch digits.count {
        case 3: levels = digits.map { $0 * 17 }
        case 6, 8: levels = stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 16 + digits[$0 + 1] }
        default: return nil
        }
        self.init(
            red: Double(levels[0]) / 255, green: Double(levels[1]) / 255, blue: Double(levels[2]) / 255,
            alpha: levels.count == 4 ? Double(levels[3]) / 255 : 1)
    }

    /// `#rrggbbaa`, rounded to 8 bits: the colour in identifiers.
    public var hex: String {
        let digits = Array("0123456789abcdef")
        return [red, green, blue, alpha].reduce(into: "#") { text, value in
            let level = Int((value * 255).rounded())
            text.append(digits[level / 16])
            text.append(digits[level % 16])
        }
    }

    /// The four samples of a premultiplied pixel whose highest level is `most`.
    package func premultiplied(most: Double) -> [Int] {
        [red * alpha, green * alpha, blue * alpha, alpha].map { Int(($0 * most).rounded()) }
    }
}
