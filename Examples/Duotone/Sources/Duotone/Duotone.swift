import ImageCore
import ImageKernels

/// Shows an image in the shades between two colours.
///
/// The colour of a pixel lies between ``Tones/dark`` and ``Tones/light`` in proportion to its luma (ITU-R BT.709). Both
/// steps work on the stored, gamma-encoded levels, as the gradient maps of photo editors do, not in linear light.
/// Images keep their depth and their alpha; grey ones become RGB. The tones count as sRGB, and an image that keeps
/// another profile (`convertsToSRGB = false`) shows them in that.
public struct Duotone: Processing, Hashable {
    /// The two colours, which are opaque.
    public struct Tones: Hashable, Sendable {
        /// The colour of black.
        public let dark: PixelColor
        /// The colour of white.
        public let light: PixelColor

        /// Creates a pair of colours.
        public init(dark: PixelColor, light: PixelColor) { (self.dark, self.light) = (dark, light) }
    }

    /// The colours; `nil` for those of the option ``DuotoneTones``.
    public let tones: Tones?

    /// Creates the processor, by default with the colours of the option ``DuotoneTones``.
    public init(_ tones: Tones? = nil) { self.tones = tones }

    // The option is in the cache keys by its effect.
    public var identifier: String { tones.map { "example.duotone(\($0.text))" } ?? "example.duotone" }

    /// - Throws: ``ImageError`` (`invalidRequest`) for colours with transparency.
    public func process(_ image: DecodedImage, context: ProcessingContext) throws -> DecodedImage {
        let tones = tones ?? context.extra[DuotoneTones.self]
        if let problem = DuotoneTones.problem(with: tones) {
            throw ImageError(.invalidRequest, message: "The tones of the processor duotone \(problem).")
        }
        let luma = [0.2126, 0.7152, 0.0722]
        let rows = [\PixelColor.red, \.green, \.blue].map { channel in
            let (dark, light) = (tones.dark[keyPath: channel], tones.light[keyPath: channel])
            return luma.map { $0 * (light - dark) } + [dark]
        }
        return image.with(
            try image.bitmap.applying(
                ColorMatrix(rows: rows), threads: context.threads, cancellation: context.cancellation))
    }
}

/// The tones of each ``Duotone`` that has none: black and white, unless the app or a request sets others.
///
/// ```swift
/// request.options[DuotoneTones.self] = Duotone.Tones(dark: .black, light: PixelColor(red: 1, green: 0.8, blue: 0.6))
/// ```
public enum DuotoneTones: OptionKey {
    public static let defaultValue = Duotone.Tones(dark: .black, light: .white)
    public static let effect = OptionEffect.image
    public static let name = "example.duotone.tones"
    public static func text(of tones: Duotone.Tones) -> String { tones.text }
    public static func problem(with tones: Duotone.Tones) -> String? {
        tones.dark.alpha == 1 && tones.light.alpha == 1 ? nil : "must be opaque"
    }
}

extension Duotone.Tones {
    /// The colours in cache keys, without rounding: other colours give another text.
    fileprivate var text: String { [dark, light].map { "\($0.red) \($0.green) \($0.blue)" }.joined(separator: ", ") }
}

extension Processing where Self == Duotone {
    /// Shows the image in the shades between the colours of the option ``DuotoneTones``.
    public static var duotone: Duotone { Duotone() }
    /// Shows the image in the shades between two colours.
    public static func duotone(dark: PixelColor, light: PixelColor) -> Duotone { Duotone(.init(dark: dark, light: light)) }
}
