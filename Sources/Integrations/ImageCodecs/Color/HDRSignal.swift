import CalotypeSystem
import ImageCore

/// How a high-dynamic-range image codes light (ITU-R BT.2100), and in which colours.
struct HDRSignal: Sendable, Hashable {
    enum Transfer: Sendable, Hashable {
        /// Perceptual quantiser: codes stand for light in absolute terms, up to 10,000 cd/m².
        case pq
        /// Hybrid log-gamma: codes stand for the scene's light, and the display adds its own curve.
        case hlg
    }

    let transfer: Transfer
    /// Code point of ITU-T H.273, table 2.
    let primaries: Int

    /// `nil` where the code points name no such signal.
    init?(primaries: Int, transfer: Int) {
        switch transfer {
        case 16: self.transfer = .pq
        case 18: self.transfer = .hlg
        default: return nil
        }
        guard ColorProfile.chromaticities(of: primaries) != nil else { return nil }
        self.primaries = primaries
    }

    /// What a signal of 1 shows at most, in cd/m²: the mastering display is taken for one of 1,000, the nominal peak of HLG.
    static let peak = 1000.0
    /// Diffuse white of HDR images (ITU-R BT.2408), which becomes the brightest white of the result.
    static let white = 203.0

    /// The light of a code from 0 to 1, in cd/m². For HLG before the display's curve, 1 being ``peak``.
    func light(_ code: Double) -> Double {
        switch transfer {
        case .pq: return PQ.light(code)
        case .hlg:
            // Inverse OETF of BT.2100, table 5.
            let (a, b) = (0.17883277, 0.28466892)
            let c = 0.55991073
            return Self.peak * (code <= 0.5 ? code * code / 3 : (exp((code - c) / a) + b) / 12)
        }
    }

    /// The display's exponent of luminance, beyond 1: system gamma 1.2 at 1,000 cd/m² (BT.2100, table 5).
    var systemGamma: Double { transfer == .hlg ? 0.2 : 0 }

    /// What light of so many cd/m² is shown as, in cd/m² up to ``white``: the electrical-electrical transfer function of ITU-R
    /// BT.2390 (5.4.1), by which dark and middle tones stay as they are, and from a knee on light is bent below the target's.
    static func toneMapped(_ light: Double) -> Double {
        let (source, target) = (PQ.code(peak), PQ.code(white))
        let most = target / source
        let knee = 1.5 * most - 0.5
        let e = min(1, PQ.code(light) / source)
        guard e > knee else { return light }
        let t = (e - knee) / (1 - knee)
        let (t2, t3) = (t * t, t * t * t)
        let bent = (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (-2 * t3 + 3 * t2) * most
        return min(white, PQ.light(bent * source))
    }
}

/// SMPTE ST 2084: codes from 0 to 1, light from 0 to 10,000 cd/m².
private enum PQ {
    static let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
    static let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)

    static func light(_ code: Double) -> Double {
        let power = pow(max(0, code), 1 / m2)
        return 10_000 * pow(max(0, power - c1) / (c2 - c3 * power), 1 / m1)
    }

    static func code(_ light: Double) -> Double {
        let power = pow(max(0, light) / 10_000, m1)
        return pow((c1 + c2 * power) / (1 + c3 * power), m2)
    }
}
