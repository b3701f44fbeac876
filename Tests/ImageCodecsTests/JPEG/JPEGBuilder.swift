import ImageCore
import TestBitmaps

/// Writes baseline JPEG files byte by byte (ITU-T T.81). Each 8×8 block has one colour, so there are only DC
/// coefficients.
struct JPEGBuilder {
    /// Blocks across and down; each is 8×8 pixels.
    var blocks: PixelSize
    var components: Int
    /// Adobe's marker with its transform: 0 none, 1 YCbCr, 2 YCCK; `nil` leaves the marker out.
    var adobeTransform: Int?
    /// The APP segments after SOI: code and content.
    var segments: [(code: UInt8, content: [UInt8])] = []
    /// The stored value of each component of a block, 0 to 255.
    var value: (_ x: Int, _ y: Int) -> [Int]

    var file: Data {
        var file = Data([0xFF, 0xD8])
        for segment in segments { file += Self.segment(segment.code, segment.content) }
        if let adobeTransform {
            file += Self.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, UInt8(adobeTransform)])
        }
        // All quantisers 1, so that a DC coefficient is 8 × (value - 128).
        file += Self.segment(0xDB, [0] + Array(repeating: 1, count: 64))
        let (width, height) = (blocks.width * 8, blocks.height * 8)
        let frame: [UInt8] = [
            8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255), UInt8(components),
        ]
        file += Self.segment(0xC0, frame + (1...components).flatMap { [UInt8($0), 0x11, 0] })
        // Twelve DC categories of four bits each; of AC codes only "end of block", one bit.
        file += Self.segment(0xC4, [0x00] + [0, 0, 0, 12] + Array(repeating: 0, count: 12) + (0..<12).map { UInt8($0) })
        file += Self.segment(0xC4, [0x10, 1] + Array(repeating: 0, count: 15) + [0])
        file += Self.segment(0xDA, [UInt8(components)] + (1...components).flatMap { [UInt8($0), 0x00] } + [0, 63, 0])
        return file + scan + [0xFF, 0xD9]
    }

    private var scan: Data {
        var bits: [UInt8] = []
        func put(_ number: Int, _ count: Int) { bits += (0..<count).reversed().map { UInt8(number >> $0 & 1) } }
        var last = Array(repeating: 0, count: components)
        for y in 0..<blocks.height {
            for x in 0..<blocks.width {
                for (c, sample) in value(x, y).enumerated() {
                    let coefficient = 8 * (sample - 128)
                    let difference = coefficient - last[c]
                    last[c] = coefficient
                    let category = Int.bitWidth - abs(difference).leadingZeroBitCount
                    put(category, 4)
                    put(difference < 0 ? difference + (1 << category) - 1 : difference, category)
                    put(0, 1)
                }
            }
        }
        while bits.count % 8 != 0 { bits.append(1) }
        var data = Data()
        for i in stride(from: 0, to: bits.count, by: 8) {
            let byte = bits[i..<(i + 8)].reduce(0) { $0 << 1 | $1 }
            data.append(byte)
            if byte == 0xFF { data.append(0) }
        }
        return data
    }

    static func segment(_ code: UInt8, _ content: [UInt8]) -> Data {
        let length = content.count + 2
        return Data([0xFF, code, UInt8(length >> 8), UInt8(length & 255)] + content)
    }
}

/// Exif data that holds an orientation and nothing else.
func exif(_ orientation: Int, bigEndian: Bool = true) -> [UInt8] {
    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
        let little = (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return bigEndian ? little.reversed() : little
    }
    let tiff = Array((bigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
    return tiff + number(1, 2) + number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + [0, 0] + number(0, 4)
}
