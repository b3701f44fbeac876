internal import ImageCore

/// The colours that a file declares.
enum ColorProfile: Sendable, Hashable {
    /// sRGB, or no declaration.
    case sRGB
    /// An embedded ICC profile.
    case icc(Data)
    /// A high dynamic range.
    case hdr(HDRSignal)

    /// Returns the embedded profile, or sRGB if it is missing or unreadable.
    init(embedded icc: Data?) {
        self = icc.map { LCMSProfile($0) == nil ? .sRGB : .icc($0) } ?? .sRGB
    }

    /// Returns a profile that is made from CIE xy chromaticities and a transfer curve.
    ///
    /// - Parameters:
    ///   - chromaticities: x and y of white, red, green and blue.
    ///   - gamma: the exponent of the display; 0 for the curve of sRGB.
    init(chromaticities: [Double], gamma: Double) {
        self = LCMSProfile.rgb(chromaticities, gamma: gamma)?.icc.map(ColorProfile.icc) ?? .sRGB
    }

    /// The embedded profile, or an equivalent one. For HDR it is relative to 10,000 cd/m² (PQ) or to the peak of the
    /// display (HLG).
    var icc: Data? {
        switch self {
        case .sRGB: nil
        case .icc(let data): data
        case .hdr(let signal): Self.profile(of: signal)
        }
    }

    private static func profile(of signal: HDRSignal) -> Data? {
        let most = signal.light(1)
        let curve = (0..<4096).map { Float(signal.light(Double($0) / 4095) / most) }
        return chromaticities(of: signal.primaries).flatMap { LCMSProfile.rgb($0, samples: curve)?.icc }
    }

    /// The description in the profile, or a general name if it has none.
    var description: String? {
        guard let icc else { return nil }
        let text = LCMSProfile(icc)?.description ?? ""
        return text.isEmpty ? "unnamed" : text
    }
}
