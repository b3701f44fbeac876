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
    /// - Parameters:
    ///   - isGray: whether rows of RGBA are grey.
    ///   - isSmall: whether the image has few pixels, so that the preparation must be cheap.
    static func make(
        _ icc: Data, from source: RowLayout, isGray: Bool, to target: PixelFormat, isSmall: Bool
    ) -> (any RowTransform)? {
        guard let profile = LCMSProfile(icc) else { return nil }
        let isGray = isGray || target.channels == 1
        let transform: (any RowTransform)? =
            if isGray, source != .cmyk8, target.channels == 1 || profile.colorSpace == cmsSigGrayData {
                GrayTable(profile, from: source, to: target)
            } else {
                ColorTransform(profile, from: source, to: .pixels(target), isSmall: isSmall)
            }
        guard let transform, !isIdentity(transform, from: source, to: target) else { return nil }
        return transform
    }

    /// Whether a profile is of grey, which fits grey pixels alone, or of RGB, which fits grey pixels too.
    static func applies(_ icc: Data, toGray isGray: Bool) -> Bool {
        let space = LCMSProfile(icc)?.colorSpace
        return space == cmsSigRgbData || isGray && space == cmsSigGrayData
    }

    private init?(_ profile: LCMSProfile, from source: RowLayout, to target: RowLayout, isSmall: Bool) {
        isCMYK = source == .cmyk8
        guard profile.colorSpace == (isCMYK ? cmsSigCmykData : cmsSigRgbData), let result = LCMSProfile.sRGB else { return nil }
        // For CMYK and 16 bits Little CMS prepares a table, which takes long for a small image and is inexact for dark
        // levels of 16 bits unless it is fine. CMYK pixels have no alpha to copy.
        let isWide = source.bytesPerPixel == 8
        let precision = isSmall && (isCMYK || isWide) ? cmsFLAGS_NOOPTIMIZE : isWide ? cmsFLAGS_HIGHRESPRECALC : 0
        let flags = precision | (isCMYK ? 0 : cmsFLAGS_COPY_ALPHA)
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

/// Converts grey pixels with a grey profile, or with an RGB profile for which each grey level is equal red, green and
/// blue. Little CMS's own conversion of rows is inexact for dark levels.
private final class GrayTable: RowTransform {
    private let table: [UInt16]
    private let (source, target): (PixelFormat, PixelFormat)

    init?(_ profile: LCMSProfile, from source: RowLayout, to target: PixelFormat) {
        let isGray = profile.colorSpace == cmsSigGrayData
        guard case .pixels(let source) = source, isGray || profile.colorSpace == cmsSigRgbData else { return nil }
        (self.source, self.target) = (source, target)
        let channels: UInt32 = isGray ? 1 : 3
        let type = RowLayout.typeOfPixels(isGray ? PT_GRAY : PT_RGB, channels: channels, isWide: true)
        guard let sRGB = isGray ? LCMSProfile.gray : .sRGB,
            let handle = unsafe cmsCreateTransform(
                profile.handle, type, sRGB.handle, type, UInt32(INTENT_RELATIVE_COLORIMETRIC), UInt32(cmsFLAGS_NOOPTIMIZE))
        else { return nil }
        defer { unsafe cmsDeleteTransform(handle) }
        let (count, step) = (source.isWide ? 65536 : 256, Int(channels))
        let grays = (0..<step * count).map { UInt16(65535 * ($0 / step) / (count - 1)) }
        var colors = [UInt16](repeating: 0, count: grays.count)
        unsafe cmsDoTransform(handle, grays, &colors, UInt32(count))
        table = (0..<count).map { level in
            let color = colors[step * level..<step * (level + 1)].map { Int($0) }
            // The luminance of BT.709. The three components are nearly equal.
            let gray = isGray ? color[0] : (color[0] * 54 + color[1] * 183 + color[2] * 19 + 128) / 256
            return UInt16(target.isWide ? gray : (gray * 255 + 32767) / 65535)
        }
    }

    func convert(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, width: Int) {
        for i in 0..<width * self.target.channels {
            let sample =
                unsafe self.source.isWide
                ? Int(source.load(fromByteOffset: 2 * i, as: UInt16.self)) : Int(source.load(fromByteOffset: i, as: UInt8.self))
            let isAlpha = i & 3 == 3 && self.target.channels == 4
            let level = isAlpha ? alpha(sample) : table[sample]
            if self.target.isWide {
                unsafe target.storeBytes(of: level, toByteOffset: 2 * i, as: UInt16.self)
            } else {
                unsafe target.storeBytes(of: UInt8(level), toByteOffset: i, as: UInt8.self)
            }
        }
    }

    private func alpha(_ sample: Int) -> UInt16 {
        UInt16(source.isWide && !target.isWide ? (sample * 255 + 32767) / 65535 : sample)
    }
}

extension Bitmap {
    /// Returns the bitmap with a profile that fits the pixels that an encoder writes: its own, or else sRGB, to which
    /// the pixels are converted as far as the profile applies to them.
    ///
    /// - Parameter writesGray: whether the encoder writes one channel.
    /// - Returns: a bitmap that is opaque or not premultiplied, if it is converted.
    func fittingProfile(writesGray: Bool) throws -> Bitmap {
        guard case .icc(let icc) = colorSpace else { return self }
        let space = LCMSProfile(icc)?.colorSpace
        if space == (writesGray ? cmsSigGrayData : cmsSigRgbData) { return self }
        let bitmap = try unpremultiplied().reinterpreted(colorSpace: .sRGB)
        let transform = ColorTransform.make(icc, from: .pixels(format), isGray: true, to: format, isSmall: false)
        guard let transform else { return bitmap }
        return try unsafe Bitmap(size: size, format: format, alpha: bitmap.alpha) { pixels, bytesPerRow in
            unsafe bitmap.withUnsafePixels { source in
                guard let from = source.baseAddress, let to = pixels.baseAddress else { return }
                for y in 0..<height {
                    unsafe transform.convert(from + y * bitmap.bytesPerRow, to: to + y * bytesPerRow, width: width)
                }
            }
        }
    }
}

extension RowLayout {
    /// Little CMS's number for the layout.
    fileprivate var typeOfPixels: UInt32 {
        switch self {
        case .pixels(let format): Self.typeOfPixels(PT_RGB, channels: 3, extra: 1, isWide: format.isWide)
        case .cmyk8: Self.typeOfPixels(PT_CMYK, channels: 4, isInverted: true)
        }
    }

    /// Little CMS composes the number with macros, which Swift does not import.
    fileprivate static func typeOfPixels(
        _ space: Int32, channels: UInt32, extra: UInt32 = 0, isWide: Bool = false, isInverted: Bool = false
    ) -> UInt32 {
        UInt32(space) << 16 | (isInverted ? 1 << 13 : 0) | extra << 7 | channels << 3 | (isWide ? 2 : 1)
    }
}
