internal import CCalotypeKernels
internal import CalotypeSystem

/// The compilation of the inner loops that runs. All have the same results, within one level where they round.
///
/// The fastest that the processor supports is used, unless the environment variable `CALOTYPE_SIMD` names another that
/// it supports.
package enum KernelPath: String, CaseIterable, Sendable {
    /// C for every processor of the architecture.
    case baseline
    case avx2
    case avx512

    package var isSupported: Bool { clt_supports(level) }

    /// The number of the path in the C kernels.
    var level: clt_level {
        switch self {
        case .baseline: CLT_BASELINE
        case .avx2: CLT_AVX2
        case .avx512: CLT_AVX512
        }
    }

    /// Overrides the choice in a task, for tests. Read once per operation, on the thread of the caller.
    @TaskLocal package static var forced: KernelPath?

    /// The path of an operation that begins now.
    package static var current: KernelPath { forced ?? chosen }

    private static let chosen: KernelPath = {
        if let name = unsafe getenv("CALOTYPE_SIMD"), let path = KernelPath(rawValue: unsafe String(cString: name)),
            path.isSupported
        {
            return path
        }
        return allCases.last { $0.isSupported } ?? .baseline
    }()
}
