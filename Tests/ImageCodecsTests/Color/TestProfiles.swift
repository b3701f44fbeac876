import CCalotypeLibLCMS
import Foundation

/// ICC profiles of every kind of colours, made with Little CMS.
enum TestProfiles {
    /// Grey with a power curve.
    static func gray(gamma: Double) -> Data {
        let curve = unsafe cmsBuildGamma(nil, gamma)
        defer { unsafe cmsFreeToneCurve(curve) }
        return unsafe bytes(cmsCreateGrayProfile(cmsD50_xyY(), curve))
    }

    /// RGB with the primaries of sRGB and a power curve.
    static func rgb(gamma: Double) -> Data {
        let curve = unsafe cmsBuildGamma(nil, gamma)
        defer { unsafe cmsFreeToneCurve(curve) }
        var white = cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1)
        var primaries = cmsCIExyYTRIPLE(
            Red: cmsCIExyY(x: 0.64, y: 0.33, Y: 1), Green: cmsCIExyY(x: 0.30, y: 0.60, Y: 1),
            Blue: cmsCIExyY(x: 0.15, y: 0.06, Y: 1))
        return unsafe bytes(cmsCreateRGBProfile(&white, &primaries, [curve, curve, curve]))
    }

    /// sRGB, except that blue is linear.
    static var linearBlue: Data {
        let (profile, curve) = unsafe (cmsCreate_sRGBProfile(), cmsBuildGamma(nil, 1))
        defer { unsafe cmsFreeToneCurve(curve) }
        unsafe cmsWriteTag(profile, cmsSigBlueTRCTag, UnsafeRawPointer(curve))
        return unsafe bytes(profile)
    }

    static var lab: Data { unsafe bytes(cmsCreateLab4Profile(nil)) }

    /// CMYK in which paper is a light yellow, and every ink alone makes it darker.
    static var cmyk: Data {
        let profile = unsafe cmsCreateProfilePlaceholder(nil)
        unsafe cmsSetProfileVersion(profile, 2.1)
        unsafe cmsSetDeviceClass(profile, cmsSigOutputClass)
        unsafe cmsSetColorSpace(profile, cmsSigCmykData)
        unsafe cmsSetPCS(profile, cmsSigLabData)
        // L, a and b of the 16 combinations of full inks, in 16 bits.
        let nodes = (0..<16).flatMap { inks -> [UInt16] in
            let count = inks.nonzeroBitCount
            return [UInt16(0xF000 - 0x3800 * count), UInt16(0x8000 + 0x400 * count), UInt16(0x9800 - 0x800 * count)]
        }
        let pipeline = unsafe cmsPipelineAlloc(nil, 4, 3)
        let stage = unsafe cmsStageAllocCLut16bit(nil, 2, 4, 3, nodes)
        unsafe cmsPipelineInsertStage(pipeline, cmsAT_BEGIN, stage)
        unsafe cmsWriteTag(profile, cmsSigAToB0Tag, UnsafeRawPointer(pipeline))
        unsafe cmsPipelineFree(pipeline)
        return unsafe bytes(profile)
    }

    private static func bytes(_ profile: cmsHPROFILE?) -> Data {
        var count: UInt32 = 0
        unsafe cmsSaveProfileToMem(profile, nil, &count)
        var bytes = Data(count: Int(count))
        _ = unsafe bytes.withUnsafeMutableBytes { unsafe cmsSaveProfileToMem(profile, $0.baseAddress, &count) }
        unsafe cmsCloseProfile(profile)
        return bytes
    }
}
