import CCalotypeLCMS
import ImageCore

/// What a file says its colours mean.
enum ColorProfile: Sendable, Hashable {
    /// Nothing, or sRGB.
    case sRGB
    /// An embedded ICC profile.
    case icc(Data)

    /// An embedded profile, unless it is missing, unreadable or of a kind that no picture has.
    init(embedded icc: Data?) {
        self = icc.map { Self.model(of: $0) == CLT_PROFILE_INVALID ? .sRGB : .icc($0) } ?? .sRGB
    }

    /// A profile made from CIE xy chromaticities and a transfer curve.
    ///
    /// - Parameters:
    ///   - chromaticities: x and y of white, red, green and blue.
    ///   - gamma: the exponent of the display; 0 for the curve of sRGB.
    init(chromaticities: [Double], gamma: Double) {
        var count = 0
        guard chromaticities.count == 8, let bytes = unsafe clt_profile_create(chromaticities, gamma, &count) else {
            self = .sRGB
            return
        }
        self = unsafe .icc(Data(bytes: bytes, count: count))
        unsafe clt_profile_free(bytes)
    }

    var icc: Data? {
        if case .icc(let data) = self { data } else { nil }
    }

    /// The description inside the profile; an unnamed profile is still said to be there.
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

    static func model(of icc: Data) -> clt_profile_model {
        unsafe icc.withUnsafeBytes { bytes in
            unsafe clt_profile_read_model(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
    }
}
