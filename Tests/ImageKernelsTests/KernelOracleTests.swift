import CalotypeTesting
import ImageCore
import ImageKernels
import Testing

import CalotypeSystem

/// Compares the operations on every path that this processor supports with those on the baseline.
/// `KernelReferenceTests` compares each kernel with plain Swift.
@Suite(.timeLimit(.minutes(1))) struct KernelOracleTests {
    private struct Kernel: Sendable {
        let name: String
        /// The largest difference of a path, in levels.
        let tolerance: Double
        let run: @Sendable (Bitmap) throws -> Bitmap

        init(_ name: String, within tolerance: Double = 1, _ run: @escaping @Sendable (Bitmap) throws -> Bitmap) {
            (self.name, self.tolerance, self.run) = (name, tolerance, run)
        }
    }

    private static func resize(_ bitmap: Bitmap, _ filter: ResampleFilter) throws -> Bitmap {
        let (width, height) = (max(1, bitmap.width / 3), max(1, bitmap.height * 2 / 5))
        return try Resampler.resize(bitmap, to: .stretch(bitmap, to: width, height), filter: filter)
    }

    private static let kernels: [Kernel] = [
        Kernel("lanczos3") { try resize($0, .lanczos3) }, Kernel("mitchell") { try resize($0, .mitchell) },
        Kernel("box") { try resize($0, .box) }, Kernel("nearest", within: 0) { try resize($0, .nearest) },
        Kernel("bilinear") { try resize($0, .bilinear) }, Kernel("pixelate") { try $0.pixelated(block: 5) },
        Kernel("blur") { try $0.blurred(sigma: 1.7) }, Kernel("wide blur") { try $0.blurred(sigma: 14) },
        // Sharpening adds the difference from a blurred image that may differ by a level.
        Kernel("sharpen", within: 2) { try $0.sharpened(sigma: 1, amount: 0.9) },
        Kernel("matrix") { try $0.applying(ColorMatrix(rows: [[0.4, 0.5, 0.3], [0.3, 0.6, 0.2, 0.1], [0.2, 0.1, 1.3]])) },
        Kernel("composite") { try $0.overlaid(with: $0, x: 1, y: 0, opacity: 0.6) },
        Kernel("unpremultiply", within: 0) { try $0.unpremultiplied() },
        Kernel("premultiply", within: 0) { try $0.unpremultiplied().premultiplied() },
        Kernel("rotate") { try $0.rotated(degrees: 27) }, Kernel("turn", within: 0) { try $0.oriented(.left) },
    ]

    /// Single pixels, primes, long lines in both directions, one sample more and one less than a tile.
    private static let shapes = [(1, 1), (2, 3), (13, 17), (1, 10_000), (10_000, 1), (127, 11), (129, 5), (331, 7)]

    @Test(arguments: PixelFormat.allCases, [AlphaMode.opaque, .premultiplied])
    func everyPathEqualsTheBaseline(format: PixelFormat, alpha: AlphaMode) throws {
        for (index, (width, height)) in Self.shapes.enumerated() {
            let bitmap = try Bitmap.noise(width, height, format, alpha: alpha, seed: UInt64(index))
            let isLong = max(width, height) > 1000
            if isLong, alpha == .opaque || format == .gray8 || format == .rgba16 { continue }
            // Excluded, because a long line rotated by an angle is a large square of transparent pixels.
            for kernel in Self.kernels where !isLong || !["rotate", "wide blur"].contains(kernel.name) {
                let oracle = try KernelPath.$forced.withValue(.baseline) { try kernel.run(bitmap).samples }
                try onEveryPath { path in
                    let result = try kernel.run(bitmap).samples
                    #expect(result.distance(to: oracle) <= kernel.tolerance, "\(kernel.name) \(width)x\(height) \(path)")
                }
            }
        }
    }

    @Test func rowsMayHaveAnyAlignmentAndAnyDistance() throws {
        var numbers = SeededGenerator(seed: 31)
        for _ in 0..<60 {
            let (width, rows) = (Int.random(in: 1...90, using: &numbers), 5)
            let (stride, start) = (width * 4 + Int.random(in: 0...70, using: &numbers), Int.random(in: 0...67, using: &numbers))
            let before = (0..<start + stride * rows).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            func premultiplied(_ path: KernelPath) -> [UInt8] {
                var bytes = before
                KernelPath.$forced.withValue(path) {
                    for y in 0..<rows {
                        unsafe bytes.withUnsafeMutableBytes { bytes in
                            let row = start + y * stride
                            unsafe PixelRow.premultiply(
                                UnsafeMutableRawBufferPointer(rebasing: bytes[row..<row + width * 4]), format: .rgba8)
                        }
                    }
                }
                return bytes
            }
            let oracle = premultiplied(.baseline)
            for path in KernelPath.allCases where path.isSupported { #expect(premultiplied(path) == oracle) }
            // Bytes between the rows are unchanged.
            for i in oracle.indices where i < start || (i - start) % stride >= width * 4 { #expect(oracle[i] == before[i]) }
        }
    }

    #if os(Linux) || os(macOS)
        @Test func theEnvironmentVariableForcesEachPath() async {
            await #expect(processExitsWith: .success) {
                _ = unsafe setenv("CALOTYPE_SIMD", "baseline", 1)
                exit(KernelPath.current == .baseline ? EXIT_SUCCESS : EXIT_FAILURE)
            }
            await #expect(processExitsWith: .success) {
                _ = unsafe setenv("CALOTYPE_SIMD", "avx2", 1)
                exit(KernelPath.current == .avx2 || !KernelPath.avx2.isSupported ? EXIT_SUCCESS : EXIT_FAILURE)
            }
            await #expect(processExitsWith: .success) {
                _ = unsafe setenv("CALOTYPE_SIMD", "bogus", 1)
                exit(KernelPath.current.isSupported ? EXIT_SUCCESS : EXIT_FAILURE)
            }
        }
    #endif
}
