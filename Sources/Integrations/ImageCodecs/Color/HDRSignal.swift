internal import CalotypeSystem
internal import ImageCore

/// The coding of light (ITU-R BT.2100) and the primaries of a high-dynamic-range image.
struct HDRSignal: Sendable, Hashable {
    enum Transfer: Sendable, Hashable {
        /// Perceptual quantiser: codes are absolute light, up to 10,000 cd/m².
        case pq
        /// Hybrid log-gamma: codes are the light of the scene, to which the display applies a curve.
        case hlg
    }

    let transfer: Transfer
    /// The code point of the primaries in ITU-T H.273, table 2.
    let primaries: Int

    /// Returns `nil` if the code points are of another signal.
    init?(primaries: Int, transfer: Int) {
        switch transfer {
        case 16: self.transfer = .pq
        case 18: self.transfer = .hlg
        default: return nil
        }
        guard ColorProfile.chromaticities(of: primaries) != nil else { return nil }
        self.primaries = primaries
    }

    /// The brightest light of the signal in cd/m². The mastering display is assumed to have 1,000, the nominal peak of
    /// HLG.
    static let peak = 1000.0
    /// The diffuse white of HDR images (ITU-R BT.2408) in cd/m², which becomes the white of the result.
    static let white = 203.0

    /// Returns the light of a code from 0 to 1, in cd/m². For HLG it is the light before the display's curve, where 1
    /// is ``peak``.
    func light(_ code: Double) -> Double {
        switch transfer {
        case .pq: return PQ.light(code)
        case .hlg:
            // The inverse OETF of BT.2100, table 5.
            let (a, b) = (0.17883277, 0.28466892)
            let c = 0.55991073
            return Self.peak * (code <= 0.5 ? code * code / 3 : (exp((code - c) / a) + b) / 12)
        }
    }

    /// The display's exponent of luminance, less 1: system gamma 1.2 at 1,000 cd/m² (BT.2100, table 5).
    var systemGamma: Double { transfer == .hlg ? 0.2 : 0 }

    /// Maps light to what is displayed, both in cd/m², up to ``white``. It is the electrical-electrical transfer
    /// function of ITU-R BT.2390 (5.4.1), which keeps dark and middle tones and compresses light above a knee.
    static func toneMap(_ light: Double) -> Double {
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
