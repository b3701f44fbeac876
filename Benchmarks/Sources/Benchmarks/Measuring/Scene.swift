internal import Calotype
internal import Foundation

/// An image with the statistics of a photograph, the same for the same seed: noise whose strength decreases with its
/// frequency, discs with hard edges, and grain.
struct Scene {
    let size: PixelSize
    /// 1 is the default of a run.
    var seed: UInt64 = 1

    /// 8-bit RGBA, opaque.
    func bitmap() throws -> Bitmap {
        try unsafe Bitmap(size: size, format: .rgba8, alpha: .opaque) { pixels, bytesPerRow in
            let layers = octaves
            var line = [Float](repeating: 0, count: size.width)
            for y in 0..<size.height {
                for x in line.indices { line[x] = 0 }
                for layer in layers { layer.add(to: &line, y: y) }
                for x in line.indices {
                    let (shade, tint) = disc(x, y)
                    let grain = Float(Lattice.hash(x, y, offset + 99) & 15) - 7.5
                    let light = 120 + line[x] + shade + grain
                    let at = y * bytesPerRow + x * 4
                    unsafe pixels[at] = UInt8(max(0, min(255, light + tint)))
                    unsafe pixels[at + 1] = UInt8(max(0, min(255, light)))
                    unsafe pixels[at + 2] = UInt8(max(0, min(255, light - tint + line[x] / 3)))
                    unsafe pixels[at + 3] = 255
                }
            }
        }
    }

    /// The difference of the seeds of the parts from those of the default seed.
    private var offset: Int { Int(truncatingIfNeeded: (seed &- 1) &* 1_000) }

    /// Each layer has twice the frequency and half the strength of the previous one: 1/f.
    private var octaves: [Lattice] {
        var layers: [Lattice] = []
        var (cell, strength) = (Float(size.width) / 3, Float(60))
        while cell >= 2 {
            layers.append(Lattice(cell: cell, strength: strength, seed: offset + layers.count))
            (cell, strength) = (cell / 2, strength / 2)
        }
        return layers
    }

    /// Returns how much lighter the disc around a pixel is, and its colour, if there is a disc.
    private func disc(_ x: Int, _ y: Int) -> (Float, Float) {
        let cell = max(1, size.width / 9)
        let (column, row) = (x / cell, y / cell)
        let radius = cell / 5 + Lattice.hash(column, row, offset + 7) % (cell / 4 + 1)
        let (dx, dy) = (x - column * cell - cell / 2, y - row * cell - cell / 2)
        guard dx * dx + dy * dy < radius * radius else { return (0, 10) }
        return (Float(Lattice.hash(column, row, offset + 8) % 120) - 60, Float(Lattice.hash(column, row, offset + 9) % 80) - 40)
    }
}

/// Random values at the corners of a grid, with smooth interpolation.
private struct Lattice {
    let cell: Float
    let strength: Float
    let seed: Int

    func add(to line: inout [Float], y: Int) {
        let v = Float(y) / cell
        let (row, dy) = (Int(v), smooth(v - v.rounded(.down)))
        var column = -1
        var (left, right): (Float, Float) = (0, 0)
        for x in line.indices {
            let u = Float(x) / cell
            if Int(u) != column {
                column = Int(u)
                left = value(column, row) * (1 - dy) + value(column, row + 1) * dy
                right = value(column + 1, row) * (1 - dy) + value(column + 1, row + 1) * dy
            }
            let dx = smooth(u - u.rounded(.down))
            line[x] += strength * (left * (1 - dx) + right * dx)
        }
    }

    private func smooth(_ t: Float) -> Float { t * t * (3 - 2 * t) }

    private func value(_ x: Int, _ y: Int) -> Float { Float(Self.hash(x, y, seed) & 0xFFFF) / 32768 - 1 }

    static func hash(_ x: Int, _ y: Int, _ seed: Int) -> Int {
        var h = UInt32(truncatingIfNeeded: x &* 374_761_393 &+ y &* 668_265_263 &+ seed &* 144_665_179)
        h = (h ^ (h >> 13)) &* 1_274_126_177
        return Int(h ^ (h >> 16))
    }
}

extension Bitmap {
    /// Writes the colours as a PPM file (netpbm) for the peers.
    func writePPM(to path: String) throws {
        var file = Data("P6\n\(width) \(height)\n255\n".utf8)
        file.reserveCapacity(file.count + width * height * 3)
        var line = [UInt8](repeating: 0, count: width * 3)
        for y in 0..<height {
            unsafe withUnsafePixels { pixels in
                for x in 0..<width {
                    for c in 0..<3 { line[x * 3 + c] = unsafe pixels[y * bytesPerRow + x * 4 + c] }
                }
            }
            file.append(contentsOf: line)
        }
        try file.write(to: URL(filePath: path))
    }
}
