internal import CCalotypeLibLCMS
internal import ImageCore

/// A profile that Little CMS has opened.
@safe final class LCMSProfile {
    let handle: cmsHPROFILE

    private init?(_ handle: cmsHPROFILE?) {
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
    }

    /// Opens an ICC profile. Returns `nil` when it cannot be read.
    convenience init?(_ icc: Data) {
        unsafe self.init(icc.withUnsafeBytes { unsafe cmsOpenProfileFromMem($0.baseAddress, UInt32(clamping: $0.count)) })
    }

    deinit { unsafe cmsCloseProfile(handle) }

    static var sRGB: LCMSProfile? { unsafe LCMSProfile(cmsCreate_sRGBProfile()) }

    /// Grey with the curve of sRGB.
    static var gray: LCMSProfile? { unsafe make(srgbCurve) { unsafe cmsCreateGrayProfile(cmsD50_xyY(), $0) } }

    /// Makes a profile from CIE xy chromaticities.
    ///
    /// - Parameters:
    ///   - xy: x and y of white, red, green and blue.
    ///   - gamma: the exponent of the display; 0 for the curve of sRGB.
    static func rgb(_ xy: [Double], gamma: Double) -> LCMSProfile? {
        unsafe rgb(xy, curve: gamma > 0 ? cmsBuildGamma(nil, gamma) : srgbCurve)
    }

    /// Makes a profile from CIE xy chromaticities and the samples of a curve.
    static func rgb(_ xy: [Double], samples: [Float]) -> LCMSProfile? {
        unsafe rgb(xy, curve: cmsBuildTabulatedToneCurveFloat(nil, UInt32(samples.count), samples))
    }

    /// The curve of IEC 61966-2-1 in the parametric form 4 of ICC.1: (a x + b)^g above d, c x below.
    private static var srgbCurve: OpaquePointer? {
        unsafe cmsBuildParametricToneCurve(nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    }

    private static func rgb(_ xy: [Double], curve: OpaquePointer?) -> LCMSProfile? {
        unsafe make(curve) { curve in
            func color(_ i: Int) -> cmsCIExyY { cmsCIExyY(x: xy[2 * i], y: xy[2 * i + 1], Y: 1) }
            var (white, primaries) = (color(0), cmsCIExyYTRIPLE(Red: color(1), Green: color(2), Blue: color(3)))
            return unsafe cmsCreateRGBProfile(&white, &primaries, [curve, curve, curve])
        }
    }

    /// Makes a profile with a curve, and frees the curve.
    private static func make(_ curve: OpaquePointer?, _ body: (OpaquePointer) -> cmsHPROFILE?) -> LCMSProfile? {
        guard let curve = unsafe curve else { return nil }
        defer { unsafe cmsFreeToneCurve(curve) }
        return unsafe LCMSProfile(body(curve))
    }

    var colorSpace: cmsColorSpaceSignature { unsafe cmsGetColorSpace(handle) }

    /// The bytes of the profile.
    var icc: Data? {
        var count: UInt32 = 0
        guard unsafe cmsSaveProfileToMem(handle, nil, &count) != 0 else { return nil }
        var bytes = Data(count: Int(count))
        return unsafe bytes.withUnsafeMutableBytes { unsafe cmsSaveProfileToMem(handle, $0.baseAddress, &count) } != 0
            ? bytes : nil
    }

    /// The description in the profile; empty for none.
    var description: String {
        var text = [wchar_t](repeating: 0, count: 256)
        _ = unsafe cmsGetProfileInfo(handle, cmsInfoDescription, "en", "US", &text, UInt32(4 * text.count))
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text.prefix { $0 != 0 }.compactMap { Unicode.Scalar(UInt32(truncatingIfNeeded: $0)) })
        return String(scalars)
    }
}
