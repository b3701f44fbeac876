internal import CCalotypeLibLCMS
internal import ImageCore
internal import ImageKernels

/// A conversion of rows of colours to sRGB.
protocol RowTransform: AnyObject {
    func convert(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, width: Int)
}

/// Little CMS's conversion of rows from an embedded profile to sRGB, or to grey with sRGB's curve: relative
/// colorimetric, without black point compensation. It copies alpha.
@safe final class ColorTransform: RowTransform {
    private let handle: cmsHTRANSFORM
    private let isCMYK: Bool

    /// Returns a conversion, or `nil` if none is needed or possible: the profile is damaged, does not fit the pixels,
    /// or equals sRGB.
    ///
    /// - Parameter isSmall: whether the image has few pixels, so that the preparation must be cheap.
    static func make(_ icc: Data, from source: RowLayout, to target: PixelFormat, isSmall: Bool) -> (any RowTransform)? {
        guard let profile = LCMSProfile(icc) else { return nil }
        let isGray = target.channels == 1
        let transform: (any RowTransform)? =
            isGray && profile.colorSpace == cmsSigRgbData
            ? GrayTable(profile, isWide: source.bytesPerPixel == 2, toWide: target.isWide)
            : ColorTransform(profile, from: source, to: .pixels(target), isSmall: isSmall)
        guard let transform, !isIdentity(transform, from: source, to: target) else { return nil }
        return transform
    }

    private init?(_ profile: LCMSProfile, from source: RowLayout, to target: RowLayout, isSmall: Bool) {
        isCMYK = source.colorSpace == cmsSigCmykData
        let isGray = source.colorSpace == cmsSigGrayData
        guard profile.colorSpace == source.colorSpace, let result = isGray ? LCMSProfile.gray : .sRGB else { return nil }
        // Grey and CMYK pixels have no alpha to copy.
        let flags = isCMYK && isSmall ? cmsFLAGS_NOOPTIMIZE : isGray || isCMYK ? 0 : cmsFLAGS_COPY_ALPHA
        let handle = unsafe cmsCreateTransform(
            profile.handle, source.typeOfPixels, result.handle, target.typeOfPixels, UInt32(INTENT_RELATIVE_COLORIMETRIC),
            UInt32(flags))
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
    }

    deinit { unsafe cmsDeleteTransform(handle) }

    func convert(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, width: Int) {
        // Little CMS does not write the alpha of CMYK pixels.
        if isCMYK { unsafe target.initializeMemory(as: UInt8.self, repeating: 255, count: 4 * width) }
        unsafe cmsDoTransform(handle, source, target, UInt32(width))
    }

    /// Whether a conversion changes 8-bit colours by one step at most.
    private static func isIdentity(_ transform: any RowTransform, from source: RowLayout, to target: PixelFormat) -> Bool {
        guard source == .pixels(target), !target.isWide else { return false }
        let colors = target == .gray8 ? Array(0...255) : colorCube
        var result = [UInt8](repeating: 0, count: colors.count)
        unsafe transform.convert(colors, to: &result, width: colors.count / target.channels)
        return zip(colors, result).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }

    /// Opaque colours with 16 levels of each of red, green and blue.
    private static let colorCube = (0..<4096).flatMap { step in
        [step & 15, step >> 4 & 15, step >> 8, 15].map { UInt8($0 * 17) }
    }
}

/// Converts grey pixels with an RGB profile: each grey level is equal red, green and blue.
private final class GrayTable: RowTransform {
    private let table: [UInt16]
    private let (isWide, toWide): (Bool, Bool)

    init?(_ profile: LCMSProfile, isWide: Bool, toWide: Bool) {
        (self.isWide, self.toWide) = (isWide, toWide)
        let rgb = RowLayout.typeOfPixels(PT_RGB, channels: 3, isWide: true)
        guard let sRGB = LCMSProfile.sRGB,
            let handle = unsafe cmsCreateTransform(
                profile.handle, rgb, sRGB.handle, rgb, UInt32(INTENT_RELATIVE_COLORIMETRIC), UInt32(cmsFLAGS_NOOPTIMIZE))
        else { return nil }
        defer { unsafe cmsDeleteTransform(handle) }
        let count = isWide ? 65536 : 256
        let grays = (0..<3 * count).map { UInt16(65535 * ($0 / 3) / (count - 1)) }
        var colors = [UInt16](repeating: 0, count: grays.count)
        unsafe cmsDoTransform(handle, grays, &colors, UInt32(count))
        table = (0..<count).map { step in
            // The luminance of BT.709. The three components are nearly equal.
            let (red, green, blue) = (Int(colors[3 * step]), Int(colors[3 * step + 1]), Int(colors[3 * step + 2]))
            let gray = (red * 54 + green * 183 + blue * 19 + 128) / 256
            return UInt16(toWide ? gray : (gray * 255 + 32767) / 65535)
        }
    }

    func convert(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, width: Int) {
        for x in 0..<width {
            let level =
                isWide
                ? unsafe Int(source.load(fromByteOffset: 2 * x, as: UInt16.self))
                : unsafe Int(source.load(fromByteOffset: x, as: UInt8.self))
            if toWide {
                unsafe target.storeBytes(of: table[level], toByteOffset: 2 * x, as: UInt16.self)
            } else {
                unsafe target.storeBytes(of: UInt8(table[level]), toByteOffset: x, as: UInt8.self)
            }
        }
    }
}

extension RowLayout {
    fileprivate var colorSpace: cmsColorSpaceSignature {
        switch self {
        case .pixels(let format): format.channels == 1 ? cmsSigGrayData : cmsSigRgbData
        case .cmyk8: cmsSigCmykData
        }
    }

    /// Little CMS's number for the layout.
    fileprivate var typeOfPixels: UInt32 {
        switch self {
        case .pixels(let format) where format.channels == 1:
            Self.typeOfPixels(PT_GRAY, channels: 1, isWide: format.isWide)
        case .pixels(let format): Self.typeOfPixels(PT_RGB, channels: 3, extra: 1, isWide: format.isWide)
        case .cmyk8(let inverted): Self.typeOfPixels(PT_CMYK, channels: 4, isInverted: inverted)
        }
    }

    /// Little CMS composes the number with macros, which Swift does not import.
    fileprivate static func typeOfPixels(
        _ space: Int32, channels: UInt32, extra: UInt32 = 0, isWide: Bool = false, isInverted: Bool = false
    ) -> UInt32 {
        UInt32(space) << 16 | (isInverted ? 1 << 13 : 0) | extra << 7 | channels << 3 | (isWide ? 2 : 1)
    }
}
