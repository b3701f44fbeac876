import ImageCore
import TestBitmaps

/// Writes uncompressed PNG files byte by byte (PNG specification), so that the decoder's tests do not depend on its own
/// library.
struct PNGBuilder {
    enum ColorType: Int, CaseIterable {
        case gray = 0, rgb = 2, palette = 3, grayAlpha = 4, rgbAlpha = 6

        var channels: Int {
            switch self {
            case .gray, .palette: 1
            case .grayAlpha: 2
            case .rgb: 3
            case .rgbAlpha: 4
            }
        }

        /// The depths that the format allows.
        var depths: [Int] {
            switch self {
            case .gray: [1, 2, 4, 8, 16]
            case .palette: [1, 2, 4, 8]
            case .rgb, .grayAlpha, .rgbAlpha: [8, 16]
            }
        }
    }

    var size: PixelSize
    var colorType: ColorType
    var depth: Int
    var isInterlaced = false
    /// The chunks between IHDR and the pixels.
    var chunks: [(String, [UInt8])] = []
    /// The samples of a pixel, one for each channel of the colour type.
    var sample: (_ x: Int, _ y: Int) -> [Int]

    var file: Data {
        var file = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let header = big(size.width) + big(size.height) + [UInt8(depth), UInt8(colorType.rawValue), 0, 0, isInterlaced ? 1 : 0]
        file += Self.chunk("IHDR", header)
        for (name, content) in chunks { file += Self.chunk(name, content) }
        file += Self.chunk("IDAT", Self.stored(rows))
        return file + Self.chunk("IEND", [])
    }

    private var rows: [UInt8] {
        guard isInterlaced else { return pass(x: 0, y: 0, stepX: 1, stepY: 1) }
        let passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
        return passes.flatMap { pass(x: $0.0, y: $0.1, stepX: $0.2, stepY: $0.3) }
    }

    /// Returns the rows of one pass, with the filter type "none".
    private func pass(x: Int, y: Int, stepX: Int, stepY: Int) -> [UInt8] {
        guard x < size.width else { return [] }
        return stride(from: y, to: size.height, by: stepY).flatMap { row -> [UInt8] in
            var (bytes, bits, used) = ([UInt8](), 0, 0)
            for column in stride(from: x, to: size.width, by: stepX) {
                for value in sample(column, row) {
                    if depth == 16 { bytes += [UInt8(value >> 8), UInt8(value & 255)] }
                    if depth == 8 { bytes.append(UInt8(value)) }
                    guard depth < 8 else { continue }
                    bits = bits << depth | value
                    used += depth
                    if used == 8 {
                        bytes.append(UInt8(bits))
                        (bits, used) = (0, 0)
                    }
                }
            }
            if used > 0 { bytes.append(UInt8(bits << (8 - used))) }
            return [0] + bytes
        }
    }

    static func chunk(_ name: String, _ content: [UInt8]) -> Data {
        let body = Array(name.utf8) + content
        return Data(big(content.count) + body + big(Int(crc(body))))
    }

    /// A zlib stream of stored blocks (RFC 1950, RFC 1951 3.2.4).
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var offset = 0
        repeat {
            let count = min(65535, bytes.count - offset)
            let isLast = offset + count == bytes.count
            stream += [isLast ? 1 : 0, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8 & 255)]
            stream += bytes[offset..<(offset + count)]
            offset += count
        } while offset < bytes.count
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65521
            b = (b + a) % 65521
        }
        return stream + big(b << 16 | a)
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}

/// Returns the bytes of a number in four bytes, the highest first.
func big(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
}
