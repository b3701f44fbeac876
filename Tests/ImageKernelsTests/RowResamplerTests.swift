import CalotypeTesting
import ImageCore
@testable import ImageKernels
import Testing

@Suite struct RowResamplerTests {
    private func streamed(_ bitmap: Bitmap, to geometry: ResizeGeometry, filter: ResampleFilter) throws -> Bitmap {
        let resampler = try RowResampler(source: bitmap.size, format: bitmap.format, to: geometry, filter: filter)
        return try unsafe Bitmap(size: geometry.output, format: bitmap.format, alpha: bitmap.alpha) { result, bytesPerRow in
            // Reuses the memory of the row, as a decoder does.
            var row = [UInt8](repeating: 0, count: bitmap.width * bitmap.format.bytesPerPixel)
            for y in 0..<bitmap.height {
                unsafe bitmap.withUnsafePixels { pixels in
                    for i in row.indices { row[i] = unsafe pixels[y * bitmap.bytesPerRow + i] }
                }
                try unsafe row.withUnsafeBytes { try unsafe resampler.append($0, to: result, bytesPerRow: bytesPerRow) }
            }
        }
    }

    @Test(arguments: ResampleFilter.allCases)
    func resamplingByRowsHasTheResultOfTheWholeImage(filter: ResampleFilter) throws {
        var numbers = SeededGenerator(seed: 11)
        for seed in 0..<40 {
            let bitmap = try Bitmap.noise(
                .random(in: 1...60, using: &numbers), .random(in: 1...90, using: &numbers), PixelFormat.allCases[seed % 4],
                seed: UInt64(seed))
            let y = Double.random(in: 0..<Double(bitmap.height), using: &numbers)
            let x = Double.random(in: 0..<Double(bitmap.width), using: &numbers)
            let geometry = ResizeGeometry.part(
                x, y, (Double(bitmap.width) - x) * 0.9, (Double(bitmap.height) - y) * 0.9, of: bitmap,
                to: PixelSize(width: .random(in: 1...40, using: &numbers), height: .random(in: 1...120, using: &numbers)))
            let whole = try Resampler.resize(bitmap, to: geometry, filter: filter)
            #expect(try streamed(bitmap, to: geometry, filter: filter).samples == whole.samples)
        }
    }

    @Test func aTallImageIsNotHeldInMemory() throws {
        let source = PixelSize(width: 100, height: 20_000)
        let geometry = ResizeGeometry(source: source, box: PixelSize(width: 50, height: 10_000), mode: .exact)
        let resampler = try RowResampler(source: source, format: .rgba8, to: geometry)
        // Lanczos with three lobes at half size needs at most 13 rows.
        #expect(resampler.ringRows <= 13)
    }

    @Test func aRowOfTheResultIsWrittenWhenItsLastSourceRowArrives() throws {
        let source = PixelSize(width: 4, height: 40)
        let geometry = ResizeGeometry(source: source, box: PixelSize(width: 4, height: 10), mode: .exact)
        let resampler = try RowResampler(source: source, format: .gray8, to: geometry, filter: .box)
        var result = [UInt8](repeating: 0, count: 40)
        for row in 1...40 {
            let line = [UInt8](repeating: UInt8(row), count: 4)
            try unsafe line.withUnsafeBytes { line in
                try unsafe result.withUnsafeMutableBytes { try unsafe resampler.append(line, to: $0, bytesPerRow: 4) }
            }
            #expect(resampler.finishedRows == row / 4)
        }
        #expect(resampler.appendedRows == 40)
    }

    @Test func rowsOutsideOfThePartDoNotMatter() throws {
        let source = PixelSize(width: 3, height: 30)
        var geometry = ResizeGeometry(source: source, box: PixelSize(width: 3, height: 5), mode: .exact)
        (geometry.y, geometry.height) = (10, 10)
        let resampler = try RowResampler(source: source, format: .gray8, to: geometry, filter: .bilinear)
        var result = [UInt8](repeating: 0, count: 15)
        for row in 0..<30 {
            let line = [UInt8](repeating: resampler.rows.contains(row) ? 50 : 255, count: 3)
            try unsafe line.withUnsafeBytes { line in
                try unsafe result.withUnsafeMutableBytes { try unsafe resampler.append(line, to: $0, bytesPerRow: 3) }
            }
        }
        #expect(result.allSatisfy { $0 == 50 })
        #expect(resampler.rows == 9..<21)
    }

    @Test func rowsThatDoNotFitThrow() throws {
        let source = PixelSize(width: 4, height: 1)
        let geometry = ResizeGeometry(source: source, box: PixelSize(width: 2, height: 1), mode: .exact)
        func append(_ count: Int, resultBytes: Int, times: Int = 1) throws {
            let resampler = try RowResampler(source: source, format: .gray8, to: geometry)
            var result = [UInt8](repeating: 0, count: resultBytes)
            for _ in 0..<times {
                try unsafe [UInt8](repeating: 0, count: count).withUnsafeBytes { line in
                    try unsafe result.withUnsafeMutableBytes { try unsafe resampler.append(line, to: $0, bytesPerRow: 2) }
                }
            }
        }
        try append(4, resultBytes: 2)
        #expect(throws: ImageError.self) { try append(3, resultBytes: 2) }
        #expect(throws: ImageError.self) { try append(4, resultBytes: 1) }
        #expect(throws: ImageError.self) { try append(4, resultBytes: 2, times: 2) }
    }
}
