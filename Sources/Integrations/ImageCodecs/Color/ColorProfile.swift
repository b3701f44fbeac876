import CCalotypeLCMS
import ImageCore

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
        self = icc.map { Self.isReadable($0) ? .icc($0) : .sRGB } ?? .sRGB
    }

    /// Returns a profile that is made from CIE xy chromaticities and a transfer curve.
    ///
    /// - Parameters:
    ///   - chromaticities: x and y of white, red, green and blue.
    ///   - gamma: The exponent of the display; 0 for the curve of sRGB.
    init(chromaticities: [Double], gamma: Double) {
        var count = 0
        guard chromaticities.count == 8, let bytes = unsafe clt_profile_create(chromaticities, gamma, &count) else {
            self = .sRGB
            return
        }
        self = unsafe .icc(Data(bytes: bytes, count: count))
        unsafe clt_profile_free(bytes)
    }

    /// The embedded profile, or an equivalent one. For HDR it is relative to 10,000 cd/m² (PQ) or to the peak of the display
    /// (HLG).
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
        var count = 0
        guard let chromaticities = chromaticities(of: signal.primaries),
            let bytes = unsafe clt_profile_create_sampled(chromaticities, curve, &count)
        else { return nil }
        defer { unsafe clt_profile_free(bytes) }
        return unsafe Data(bytes: bytes, count: count)
    }

    /// The description in the profile, or a general name if it has none.
    var description: String? {
        guard let icc else { return nil }
        var scalars = [UInt32](repeating: 0, count: 256)
        let count = unsafe icc.withUnsafeBytes { bytes in
            unsafe clt_profile_description(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &scalars, 256)
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars.prefix(count).compactMap(Unicode.Scalar.init))
        return text.isEmpty ? "unnamed" : String(text)
    }

    private static func isReadable(_ icc: Data) -> Bool {
        unsafe icc.withUnsafeBytes { bytes in
            unsafe clt_profile_is_readable(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
    }
}
