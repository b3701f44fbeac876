import ImageCore
import ImageKernels
import Testing

/// Runs `body` once for every compilation of the kernels that this processor supports.
func onEveryPath(_ body: (KernelPath) throws -> Void) rethrows {
    for path in KernelPath.allCases where path.isSupported {
        try KernelPath.$forced.withValue(path) { try body(path) }
    }
}

@Suite struct KernelPathTests {
    @Test func theBaselineIsAlwaysSupported() { #expect(KernelPath.baseline.isSupported) }

    @Test func aForcedPathIsUsedOnlyInItsScope() {
        KernelPath.$forced.withValue(.baseline) { #expect(KernelPath.current == .baseline) }
        #expect(KernelPath.current.isSupported)
    }

    /// Lines longer than a tile, with an incomplete tile at the end.
    @Test func everyPathHasTheSameResultForWideLines() throws {
        for width in [63, 64, 65, 257, 1000, 10_000] {
            for format in PixelFormat.allCases {
                let bitmap = try Bitmap.noise(width, 5, format, seed: UInt64(width))
                let geometry = ResizeGeometry.stretch(bitmap, to: max(1, width / 3), 3)
                let oracle = try KernelPath.$forced.withValue(.baseline) { try Resampler.resize(bitmap, to: geometry).samples }
                try onEveryPath { path in
                    let result = try Resampler.resize(bitmap, to: geometry).samples
                    #expect(result.distance(to: oracle) <= 1, "\(width) \(format) \(path)")
                }
            }
        }
    }
}
