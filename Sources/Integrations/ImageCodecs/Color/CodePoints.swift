internal import ImageCore

extension ColorProfile {
    /// Returns the color profile of the code points of ITU-T H.273 (CICP), which cICP and nclx contain.
    ///
    /// - Returns: `nil` for code points that are unspecified or unknown. With a curve alone, the primaries are those of
    ///   BT.709 (ISO/IEC 23000-22 (MIAF), 7.3.6.4). Transfer curves close to sRGB's (BT.709, BT.601, BT.2020) count as
    ///   sRGB's, as in browsers.
    init?(primaries: Int, transfer: Int) {
        let primaries = primaries == 2 && transfer != 2 ? 1 : primaries
        if let signal = HDRSignal(primaries: primaries, transfer: transfer) {
            self = .hdr(signal)
            return
        }
        guard let chromaticities = Self.chromaticities(of: primaries) else { return nil }
        let gamma: Double
        switch transfer {
        case 1, 2, 6, 13, 14, 15: gamma = 0
        case 4: gamma = 2.2
        case 5: gamma = 2.8
        case 8: gamma = 1
        default: return nil
        }
        if primaries == 1, gamma == 0 {
            self = .sRGB
        } else {
            self.init(chromaticities: chromaticities, gamma: gamma)
        }
    }

    /// The chromaticities x and y of white, red, green and blue (H.273, table 2).
    static func chromaticities(of primaries: Int) -> [Double]? {
        let d65 = [0.3127, 0.3290]
        switch primaries {
        case 1: return d65 + [0.64, 0.33, 0.30, 0.60, 0.15, 0.06]
        case 4: return [0.310, 0.316, 0.67, 0.33, 0.21, 0.71, 0.14, 0.08]
        case 5: return d65 + [0.64, 0.33, 0.29, 0.60, 0.15, 0.06]
        case 6, 7: return d65 + [0.630, 0.340, 0.310, 0.595, 0.155, 0.070]
        case 9: return d65 + [0.708, 0.292, 0.170, 0.797, 0.131, 0.046]
        case 11: return [0.314, 0.351, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060]
        case 12: return d65 + [0.680, 0.320, 0.265, 0.690, 0.150, 0.060]
        default: return nil
        }
    }
}
