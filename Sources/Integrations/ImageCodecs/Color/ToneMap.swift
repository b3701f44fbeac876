import CCalotypeLCMS
import ImageCore
import ImageKernels

/// Converts high-dynamic-range rows to sRGB. ``HDRSignal/toneMapped(_:)`` compresses the brightest channel of each colour, and
/// the other channels are scaled alike to keep the hue. Then colours are converted to sRGB's primaries and clipped to its gamut.
/// Light above 1,000 cd/m² is clipped in each channel, as in other programs, which can change the hue.
@safe final class ToneMap: RowTransform {
    private let handle: OpaquePointer

    /// Returns `nil` without memory, or for CMYK rows.
    init?(_ signal: HDRSignal, from source: RowLayout, to target: PixelFormat) {
        guard let chromaticities = ColorProfile.chromaticities(of: signal.primaries),
            let toXYZ = ChromaticityMatrix(chromaticities),
            let fromXYZ = ChromaticityMatrix(PNGMetadata.standardChromaticities)?.inverse
        else { return nil }
        if case .cmyk8 = source { return nil }
        let luminance = toXYZ.values[3..<6].map { Float($0) }
        let handle = unsafe clt_tone_map_create(
            source.cLayout, target.cLayout, signal.transfer == .pq ? Tables.pq : Tables.hlg, Tables.ratios, Tables.encoded,
            Float(HDRSignal.peak / HDRSignal.white), Float(signal.systemGamma), luminance,
            fromXYZ.after(toXYZ).values.map { Float($0) })
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
    }

    deinit { unsafe clt_tone_map_destroy(handle) }

    func convert(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, width: Int) {
        unsafe clt_tone_map_row(handle, source, target, UInt32(width))
    }
}

/// The curves as tables, which are computed once. Light is relative to ``HDRSignal/white``.
private enum Tables {
    static let pq = light(HDRSignal(primaries: 9, transfer: 16))
    static let hlg = light(HDRSignal(primaries: 9, transfer: 18))

    static let ratios = (0..<4096).map { step -> Float in
        let share = Double(step) / 4095
        let light = share * share * share * share * HDRSignal.peak
        return Float(light > 0 ? HDRSignal.toneMapped(light) / light : 1)
    }

    static let encoded = (0..<4096).map { step -> Float in
        let root = Double(step) / 4095
        return Float(TransferCurve.encoded(root * root) * 65535)
    }

    private static func light(_ signal: HDRSignal?) -> [Float] {
        (0..<65536).map { Float((signal?.light(Double($0) / 65535) ?? 0) / HDRSignal.white) }
    }
}
