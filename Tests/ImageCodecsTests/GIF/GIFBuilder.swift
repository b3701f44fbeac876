import Foundation
import ImageCore

/// Writes GIF files byte by byte (GIF89a), with a palette of red, green, blue and white.
struct GIFBuilder {
    /// The logical screen in pixels.
    var screen: PixelSize
    /// The blocks after the palette, up to the trailer.
    var blocks: [Data] = []

    static let colors: [[Int]] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255]]

    var file: Data {
        let palette = Self.colors.flatMap { $0.prefix(3).map { UInt8($0) } }
        var file = Data("GIF89a".utf8 + little(screen.width) + little(screen.height) + [0xF1, 0, 0] + palette)
        for block in blocks { file += block }
        return file + [0x3B]
    }

    /// Returns an extension for the next frame.
    static func control(disposal: Int = 0, delay: Int = 10, clear: Int? = nil) -> Data {
        Data([0x21, 0xF9, 4, UInt8(disposal << 2 | (clear == nil ? 0 : 1))] + little(delay) + [UInt8(clear ?? 0), 0])
    }

    /// Returns an application extension.
    static func application(_ name: String, _ parts: [[UInt8]]) -> Data {
        Data([0x21, 0xFF, 11] + Array(name.utf8) + parts.flatMap { [UInt8($0.count)] + $0 } + [0])
    }

    /// Returns a frame.
    ///
    /// - Parameters:
    ///   - indices: the colours of the pixels. Fewer than the size has end the data early.
    ///   - startBits: the bits of the first codes.
    ///   - hasEndCode: whether the data ends with its own code.
    static func frame(
        x: Int = 0, y: Int = 0, width: Int, height: Int, isInterlaced: Bool = false, _ indices: [Int], startBits: Int = 2,
        hasEndCode: Bool = true
    ) -> Data {
        let place = little(x) + little(y) + little(width) + little(height)
        var file = Data([0x2C] + place + [isInterlaced ? 0x40 : 0, UInt8(startBits)])
        var rest = indices.isEmpty && !hasEndCode ? [] : codes(indices, startBits, hasEndCode: hasEndCode)[...]
        while !rest.isEmpty {
            let part = rest.prefix(255)
            file += [UInt8(part.count)] + part
            rest = rest.dropFirst(part.count)
        }
        return file + [0]
    }

    /// Returns codes of single indices, with the code that empties the table before each, so that codes do not grow.
    private static func codes(_ indices: [Int], _ startBits: Int, hasEndCode: Bool) -> [UInt8] {
        let clear = 1 << startBits
        var (bits, count, bytes) = (0, 0, [UInt8]())
        for code in indices.flatMap({ [clear, $0] }) + (hasEndCode ? [clear + 1] : []) {
            bits |= code << count
            count += startBits + 1
            while count >= 8 {
                bytes.append(UInt8(bits & 255))
                (bits, count) = (bits >> 8, count - 8)
            }
        }
        return bytes + (count > 0 ? [UInt8(bits)] : [])
    }
}

/// Returns the bytes of a number in two bytes, the lowest first.
private func little(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }
