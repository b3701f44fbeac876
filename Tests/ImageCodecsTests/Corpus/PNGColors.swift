import ImageCore
import TestBitmaps

/// Converts the colours of a PNG without a profile by formula (PNG specification, third edition, 4.3 and 11.3.2; ITU-T
/// H.273). It is the reference for files whose corpus entry has only the stored numbers.
struct PNGColors {
    /// The exponent from a sample to light; `nil` for the curve of sRGB.
    private let exponent: Double?
    private let isDisplayP3: Bool

    /// Returns `nil` if the colours are sRGB's, or those of a profile.
    init?(_ file: Data) {
        guard file.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return nil }
        var (offset, found) = (8, [String: [UInt8]]())
        func number(_ bytes: some Collection<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
        while offset + 12 <= file.count {
            let head = file.dropFirst(offset)
            let (count, name) = (number(head.prefix(4)), String(decoding: head.dropFirst(4).prefix(4), as: UTF8.self))
            if name == "IDAT" { break }
            found[name] = Array(head.dropFirst(8).prefix(count))
            offset += 12 + count
        }
        if let points = found["cICP"] {
            isDisplayP3 = points[0] == 12
            exponent = points[1] == 4 ? 2.2 : nil
            return
        }
        guard found["iCCP"] == nil, found["sRGB"] == nil, let gamma = found["gAMA"].map(number) else { return nil }
        // Encoders write 1 / 2.2 for the curve of sRGB.
        if abs(gamma - 45455) < 1000 { return nil }
        (isDisplayP3, exponent) = (false, 100_000 / Double(gamma))
    }

    /// Converts an image as stored, with 16 bits if it has them, to sRGB.
    func sRGB(_ stored: Bitmap) throws -> Bitmap {
        let top = stored.format.bytesPerPixel == stored.format.channels ? 255.0 : 65535
        return try bitmap(stored.width, stored.height, alpha: .straight) { x, y in
            let pixel = stored[x, y].map { Double($0) / top }
            let color = pixel.count == 1 ? [pixel[0], pixel[0], pixel[0], 1] : pixel
            return (convert(Array(color.prefix(3))) + [color[3]]).map { UInt8(($0 * 255).rounded()) }
        }
    }

    private func convert(_ color: [Double]) -> [Double] {
        var light = color.map { value in
            exponent.map { power(value, $0) } ?? (value <= 0.04045 ? value / 12.92 : power((value + 0.055) / 1.055, 2.4))
        }
        if isDisplayP3 { light = DisplayP3.toSRGB.map { row in zip(row, light).reduce(0) { $0 + $1.0 * $1.1 } } }
        return light.map { min(1, max(0, $0)) }.map { $0 <= 0.0031308 ? 12.92 * $0 : 1.055 * power($0, 1 / 2.4) - 0.055 }
    }
}

enum DisplayP3 {
    /// The matrix from its linear light to that of sRGB (IEC 61966-2-1, SMPTE EG 432-1).
    static let toSRGB = [[1.2249401, -0.2249402, 0], [-0.0420569, 1.0420571, 0], [-0.0196376, -0.0786507, 1.0982884]]
}
