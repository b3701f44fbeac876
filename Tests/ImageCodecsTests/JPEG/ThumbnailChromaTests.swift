import CCalotypeCodec
import CCalotypeJPEG
import Foundation
import ImageCodecs
import ImageCore
import ImageDecoding
import ImageKernels
import TestBitmaps
import Testing

/// Thumbnails keep the colours of a full decode that is scaled by Lanczos, for every sampling of chroma (FEATURES 8.4).
/// `make fidelity` prints the differences as a table.
@Suite struct ThumbnailChromaTests {
    /// The pixels that a chroma sample covers.
    static let samplings = [(2, 2), (2, 1), (1, 2), (4, 1), (1, 1)]
    private let names = ["2x2": "4:2:0", "2x1": "4:2:2", "1x2": "4:4:0", "4x1": "4:1:1", "1x1": "4:4:4"]

    /// Encodes colour detail at every scale, with the sampling.
    private func file(_ columns: Int, _ rows: Int) throws -> Data {
        let source = try bitmap(960, 480) { x, y in
            let cell = [10, 20, 36, 64][x / 240]
            let isOdd = (x / cell + y / cell) % 2 == 1
            let shade = UInt8(40 + (x * 7 + y * 3) % 60)
            return isOdd ? [150, shade, 108, 255] : [110, shade + 6, 148, 255]
        }
        let created = unsafe clt_jpeg_writer_create()
        let writer = unsafe try #require(created)
        defer { unsafe clt_jpeg_writer_destroy(writer) }
        let status = unsafe clt_jpeg_writer_start(
            writer, 960, 480, false, 92, Int32(columns), Int32(rows), false, nil, 0, nil, 0)
        #expect(status == CLT_OK)
        unsafe source.withUnsafePixels { pixels in
            for y in 0..<480 {
                _ = unsafe clt_jpeg_writer_write_row(
                    writer, pixels.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self) + y * source.bytesPerRow)
            }
        }
        var (bytes, count) = unsafe (UnsafePointer<UInt8>?.none, 0)
        #expect(unsafe clt_jpeg_writer_finish(writer, &bytes, &count) == CLT_OK)
        return unsafe bytes.map { unsafe Data(bytes: $0, count: count) } ?? Data()
    }

    /// The mean and the largest difference of Cb and Cr (JFIF).
    private func chromaDifference(_ a: Bitmap, _ b: Bitmap) -> (mean: Double, largest: Double) {
        var differences: [Double] = []
        for (first, second) in zip(a.all, b.all) {
            let delta = (0..<3).map { Double(first[$0] - second[$0]) }
            differences.append(abs(-0.168736 * delta[0] - 0.331264 * delta[1] + 0.5 * delta[2]))
            differences.append(abs(0.5 * delta[0] - 0.418688 * delta[1] - 0.081312 * delta[2]))
        }
        return (differences.reduce(0, +) / Double(differences.count), differences.max() ?? 0)
    }

    @Test(arguments: samplings)
    func aThumbnailHasTheColorsOfAFullDecode(columns: Int, rows: Int) throws {
        let file = try file(columns, rows)
        let full = try JPEGDecoder().decode(file, options: DecodeOptions()).bitmap
        var row = names["\(columns)x\(rows)"] ?? "?"
        for divisor in 2...12 {
            let box = PixelSize(width: 960 / divisor, height: 480 / divisor)
            let small = try JPEGDecoder().decode(file, options: .with { $0.targetSize = box }).bitmap
            let expected = try Resampler.resize(full, to: ResizeGeometry(source: full.size, box: box, mode: .fit))
            let (mean, largest) = chromaDifference(small, expected)
            row += String(format: "  %4.2f %4.1f", mean, largest)
            // A full decode smooths the chroma of 4:2:0, which a scaled one has in full detail.
            #expect(mean < (columns == 2 && rows == 2 ? 1.25 : 1), "1/\(divisor)")
            #expect(largest < 8, "1/\(divisor)")
        }
        if ProcessInfo.processInfo.environment["CALOTYPE_PRINT_FIDELITY"] != nil { print(row) }
    }
}
