internal import CalotypeSystem
internal import ImageCore
internal import ImageKernels

/// Converts high-dynamic-range rows to sRGB. ``HDRSignal/toneMap(_:)`` compresses the brightest channel of each
/// colour, and the other channels are scaled alike to keep the hue, also of light above 1,000 cd/m². Then colours are
/// converted to sRGB's primaries and clipped to its gamut.
final class ToneMap: RowTransform {
    private let source: PixelFormat
    private let target: PixelFormat
    private let light: [Float]
    private let systemGamma: Float
    private let luminance: SIMD4<Float>
    /// The columns of the matrix from the file's primaries to sRGB's.
    private let toSRGB: [SIMD4<Float>]
    private static let peak = Float(HDRSignal.peak / HDRSignal.white)

    /// Returns `nil` for CMYK rows.
    init?(_ signal: HDRSignal, from source: RowLayout, to target: PixelFormat) {
        guard case .pixels(let source) = source, let chromaticities = ColorProfile.chromaticities(of: signal.primaries),
            let toXYZ = ChromaticityMatrix(chromaticities),
            let fromXYZ = ChromaticityMatrix(PNGMetadata.standardChromaticities)?.inverse
        else { return nil }
        (self.source, self.target) = (source, target)
        light = signal.transfer == .pq ? Tables.pq : Tables.hlg
        systemGamma = Float(signal.systemGamma)
        luminance = SIMD4(SIMD3(toXYZ.columns.map { Float($0.y) }), 0)
        toSRGB = fromXYZ.after(toXYZ).columns.map { SIMD4(SIMD3<Float>($0), 0) }
    }

    func convert(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, width: Int) {
        let channels = self.target.channels
        let (isWide, staysWide) = (self.source.isWide, self.target.isWide)
        var (last, result) = (SIMD4<UInt16>(), convertColor(SIMD4()))
        for x in 0..<width {
            var pixel = SIMD4<UInt16>()
            for c in 0..<channels {
                let at = channels * x + c
                pixel[c] =
                    unsafe isWide
                    ? source.load(fromByteOffset: 2 * at, as: UInt16.self)
                    : UInt16(source.load(fromByteOffset: at, as: UInt8.self)) * 257
            }
            let alpha = pixel[3]
            pixel = channels == 1 ? SIMD4(pixel[0], pixel[0], pixel[0], 0) : SIMD4(pixel[0], pixel[1], pixel[2], 0)
            // Neighbouring pixels are often equal.
            if pixel != last { (last, result) = (pixel, convertColor(pixel)) }
            result[3] = alpha
            for c in 0..<channels {
                let at = channels * x + c
                if staysWide {
                    unsafe target.storeBytes(of: result[c], toByteOffset: 2 * at, as: UInt16.self)
                } else {
                    let narrow = UInt8((UInt32(result[c]) * 255 + 32767) / 65535)
                    unsafe target.storeBytes(of: narrow, toByteOffset: at, as: UInt8.self)
                }
            }
        }
    }

    /// Converts one colour from 16-bit codes to 16-bit sRGB codes.
    private func convertColor(_ code: SIMD4<UInt16>) -> SIMD4<UInt16> {
        var color = SIMD4(light[Int(code[0])], light[Int(code[1])], light[Int(code[2])], 0)
        if systemGamma > 0 {
            let scene = (color / Self.peak * luminance).sum()
            color *= scene > 0 ? pow(scene, systemGamma) : 0
        }
        color *= min(1, Self.peak / max(color.max(), Self.peak))
        let share = min(1, color.max() / Self.peak)
        let ratio = Tables.value(in: Tables.ratios, at: share.squareRoot().squareRoot())
        let shown = (toSRGB[0] * color[0] + toSRGB[1] * color[1] + toSRGB[2] * color[2]) * ratio
        var result = SIMD4<UInt16>()
        for c in 0..<3 {
            result[c] = UInt16(Tables.value(in: Tables.encoded, at: max(0, min(1, shown[c])).squareRoot()) + 0.5)
        }
        return result
    }
}

/// The curves as tables, which are computed once. Light is relative to ``HDRSignal/white``.
private enum Tables {
    /// The light of each 16-bit code.
    static let pq = light(HDRSignal(primaries: 9, transfer: 16))
    static let hlg = light(HDRSignal(primaries: 9, transfer: 18))

    /// The factor for light, by the fourth root of its share of the peak.
    static let ratios = (0...4096).map { step -> Float in
        let share = Double(min(step, 4095)) / 4095
        let light = share * share * share * share * HDRSignal.peak
        return Float(light > 0 ? HDRSignal.toneMap(light) / light : 1)
    }

    /// The sRGB code from 0 to 65,535, by the square root of the displayed light.
    static let encoded = (0...4096).map { step -> Float in
        let root = Double(min(step, 4095)) / 4095
        return Float(TransferCurve.encoded(root * root) * 65535)
    }

    /// Returns the interpolated value of a table at a place from 0 to 1.
    static func value(in table: [Float], at place: Float) -> Float {
        let at = place * 4095
        let step = Int(at)
        return table[step] + (table[step + 1] - table[step]) * (at - Float(step))
    }

    private static func light(_ signal: HDRSignal?) -> [Float] {
        (0..<65536).map { Float((signal?.light(Double($0) / 65535) ?? 0) / HDRSignal.white) }
    }
}
