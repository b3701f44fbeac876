import ImageCore
import ProjectFiles
import ImageKernels
import Testing

/// An image that Pillow resized. `Fixtures/Generators/pillow-grids.py` makes these images.
private struct PillowCase {
    let source: String
    let size: PixelSize
    let box: [Double]
    let output: PixelSize
    let filter: ResampleFilter
    let levels: [Double]

    init?(line: Substring) {
        let fields = line.split(separator: " ").map(String.init)
        guard fields.count == 12, let filter = ResampleFilter(rawValue: fields[9]) else { return nil }
        let numbers = fields[1...8].compactMap(Double.init)
        guard numbers.count == 8 else { return nil }
        source = fields[0]
        size = PixelSize(width: Int(numbers[0]), height: Int(numbers[1]))
        box = Array(numbers[2...5])
        output = PixelSize(width: Int(numbers[6]), height: Int(numbers[7]))
        self.filter = filter
        let digits = fields[11].utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        levels = stride(from: 0, to: digits.count, by: 2).map { Double(digits[$0] * 16 + digits[$0 + 1]) }
    }

    private func noise(_ x: Int, _ y: Int, _ c: Int) -> Int {
        var value = UInt32(truncatingIfNeeded: x &* 374_761_393 &+ y &* 668_265_263 &+ c &* 2_246_822_519)
        value = (value ^ (value >> 13)) &* 1_274_126_177
        return Int((value ^ (value >> 16)) & 0xFF)
    }

    /// Noise at the corners of a grid, interpolated linearly.
    private func lattice(_ x: Int, _ y: Int, _ c: Int, _ cell: Int) -> Int {
        let (column, dx, row, dy) = (x / cell, x % cell, y / cell, y % cell)
        func corner(_ i: Int, _ j: Int) -> Int { noise(column + i, row + j, c + cell) }
        let above = corner(0, 0) * (cell - dx) * (cell - dy) + corner(1, 0) * dx * (cell - dy)
        return (above + corner(0, 1) * (cell - dx) * dy + corner(1, 1) * dx * dy) / (cell * cell)
    }

    private func level(_ x: Int, _ y: Int, _ c: Int) -> Int {
        let (width, height) = (size.width, size.height)
        switch source {
        case "noise": return noise(x, y, c)
        case "soft-noise": return 64 + noise(x, y, c) / 2
        case "photograph":
            let total = [32, 16, 8, 4, 2].reduce(0) { $0 + lattice(x, y, c, $1) * $1 } / 62
            return 25 + total * 150 / 255 + ((x / 23 + y / 17) % 3 == 0 ? 45 : 0) + noise(x, y, c) / 16
        default:
            let (dx, dy) = (x - width / 3, y - height / 2)
            let disc = dx * dx + dy * dy < height * height / 16 ? 35 * (c + 1) : 0
            return 60 + x * 70 / width + (height - y) * 30 / height * (c + 1) / 2 + disc + noise(x, y, c) / 32
        }
    }

    func bitmap() throws -> Bitmap {
        try Bitmap.make(size.width, size.height, alpha: .opaque) { x, y, c in c == 3 ? 255 : level(x, y, c) }
    }
}

@Suite struct PillowTests {
    private func cases() throws -> [PillowCase] {
        let fixture = ProjectFiles.fixtures.appending(path: "pillow-grids.txt")
        return try String(contentsOf: fixture, encoding: .utf8).split(separator: "\n").compactMap(PillowCase.init)
    }

    @Test func resizedImagesAreWithinOneLevelOfThoseOfPillow() throws {
        let cases = try cases()
        #expect(cases.count == 50)
        for example in cases {
            let bitmap = try example.bitmap()
            let geometry = ResizeGeometry.part(
                example.box[0], example.box[1], example.box[2] - example.box[0], example.box[3] - example.box[1], of: bitmap,
                to: example.output)
            try onEveryPath { path in
                let result = try Resampler.resize(bitmap, to: geometry, filter: example.filter).samples
                let colors = result.values.indices.filter { $0 & 3 != 3 }.map { result.values[$0] }
                let distance = zip(colors, example.levels).reduce(0) { max($0, abs($1.0 - $1.1)) }
                #expect(colors.count == example.levels.count)
                #expect(distance <= 1, "\(example.source) \(example.output) \(example.filter) \(path)")
            }
        }
    }
}
