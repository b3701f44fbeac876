public import ImageCore
public import ImageKernels

/// Changes the colours of an image by a linear map of its stored (gamma-encoded) levels.
public struct ColorAdjustment: Processing, Hashable {
    /// The kind of change, and its amount.
    public enum Kind: Hashable, Sendable {
        /// Towards the luma of ITU-R BT.709; 0 changes nothing, 1 is grey.
        case grayscale(Double)
        /// Towards brown as in old prints; 0 changes nothing, 1 is full sepia.
        case sepia(Double)
        /// Towards one colour, keeping light and dark; 0 changes nothing, 1 is that colour's shades only.
        case tint(PixelColor, Double)
        /// Added to every level; from -1 (black) to 1 (white).
        case brightness(Double)
        /// Multiplies the distance from mid-grey; from 0 (grey) to 100.
        case contrast(Double)
        /// Multiplies the distance from grey; from 0 (grey) to 100.
        case saturation(Double)
        /// Inverts every level.
        case invert
    }

    /// The kind of change, and its amount.
    public let kind: Kind

    /// Creates the processor.
    public init(_ kind: Kind) { self.kind = kind }

    public var identifier: String {
        switch kind {
        case .grayscale(let amount): "calotype.grayscale(\(amount.text))"
        case .sepia(let amount): "calotype.sepia(\(amount.text))"
        case .tint(let color, let amount): "calotype.tint(\(color.hex),\(amount.text))"
        case .brightness(let amount): "calotype.brightness(\(amount.text))"
        case .contrast(let factor): "calotype.contrast(\(factor.text))"
        case .saturation(let factor): "calotype.saturation(\(factor.text))"
        case .invert: "calotype.invert"
        }
    }

    /// - Throws: ``ImageCore/ImageError`` (`invalidRequest`) for a parameter outside its range.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        image.with(
            try image.bitmap.applying(matrix(), threads: context.threads, cancellation: context.cancellation))
    }

    /// The map as a matrix.
    func matrix() throws(ImageError) -> ColorMatrix {
        switch kind {
        case .grayscale(let amount):
            try require("grayscale", "amount", amount, in: 0...1)
            return ColorAdjustment.saturation(1 - amount)
        case .sepia(let amount):
            try require("sepia", "amount", amount, in: 0...1)
            // The matrix of the W3C's Filter Effects, section 13.1.2.
            return ColorMatrix(rows: [[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]]).mixed(amount)
        case .tint(let color, let amount):
            try require("tint", "amount", amount, in: 0...1)
            let luma = ColorAdjustment.luma
            return ColorMatrix(rows: [color.red, color.green, color.blue].map { level in luma.map { $0 * level } }).mixed(amount)
        case .brightness(let amount):
            try require("brightness", "amount", amount, in: -1...1)
            return ColorMatrix(rows: [[1, 0, 0, amount], [0, 1, 0, amount], [0, 0, 1, amount]])
        case .contrast(let factor):
            try require("contrast", "factor", factor, in: 0...100)
            let offset = (1 - factor) / 2
            return ColorMatrix(rows: [[factor, 0, 0, offset], [0, factor, 0, offset], [0, 0, factor, offset]])
        case .saturation(let factor):
            try require("saturation", "factor", factor, in: 0...100)
            return ColorAdjustment.saturation(factor)
        case .invert:
            return ColorMatrix(rows: [[-1, 0, 0, 1], [0, -1, 0, 1], [0, 0, -1, 1]])
        }
    }

    /// Red, green and blue in the luma of ITU-R BT.709.
    private static let luma = [0.2126, 0.7152, 0.0722]

    private static func saturation(_ factor: Double) -> ColorMatrix {
        ColorMatrix(rows: [luma, luma, luma]).mixed(1 - factor)
    }
}

extension ColorMatrix {
    /// Returns a mixture of this map, with the weight `share`, and of the identity.
    fileprivate func mixed(_ share: Double) -> ColorMatrix {
        ColorMatrix(
            rows: rows.indices.map { row in
                rows[row].indices.map { rows[row][$0] * share + ColorMatrix.identity.rows[row][$0] * (1 - share) }
            })
    }
}

extension Processing where Self == ColorAdjustment {
    /// Grey by the luma of ITU-R BT.709; `amount` from 0 to 1. The image keeps its channels.
    public static func grayscale(_ amount: Double = 1) -> Self { Self(.grayscale(amount)) }
    /// Brown as in old prints; `amount` from 0 to 1.
    public static func sepia(_ amount: Double = 1) -> Self { Self(.sepia(amount)) }
    /// The shades of one colour; `amount` from 0 to 1.
    public static func tint(_ color: PixelColor, amount: Double = 1) -> Self { Self(.tint(color, amount)) }
    /// Adds to every level; from -1 to 1.
    public static func brightness(_ amount: Double) -> Self { Self(.brightness(amount)) }
    /// Multiplies the distance from mid-grey; from 0 to 100.
    public static func contrast(_ factor: Double) -> Self { Self(.contrast(factor)) }
    /// Multiplies the distance from grey; from 0 to 100.
    public static func saturation(_ factor: Double) -> Self { Self(.saturation(factor)) }
    /// Inverts every level.
    public static var invert: Self { Self(.invert) }
}
