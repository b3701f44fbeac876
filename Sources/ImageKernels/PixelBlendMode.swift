/// How the colours of an image are mixed with those below it (W3C, "Compositing and Blending Level 1", 9). Where one of
/// the two is transparent, the other is seen.
public enum PixelBlendMode: String, Hashable, Sendable, CaseIterable {
    /// The image covers what is below.
    case normal
    /// The product of both: white changes nothing, and black stays black.
    case multiply
    /// The inverted product of the inverted levels: black changes nothing, and white stays white.
    case screen
    /// The darker level of each channel.
    case darken
    /// The lighter level of each channel.
    case lighten
}

extension PixelBlendMode {
    /// Mixes two levels, multiplied by their alphas, from 0 to 1. Alpha itself is mixed by the same formula.
    func mix(_ top: Float, _ topAlpha: Float, _ below: Float, _ belowAlpha: Float) -> Float {
        let both: Float =
            switch self {
            case .normal: top * belowAlpha
            case .multiply: top * below
            case .screen: top * belowAlpha + below * topAlpha - top * below
            case .darken: min(top * belowAlpha, below * topAlpha)
            case .lighten: max(top * belowAlpha, below * topAlpha)
            }
        return top * (1 - belowAlpha) + below * (1 - topAlpha) + both
    }
}
