internal import CCalotypeKernels
internal import CalotypeSystem

/// Which compilation of the inner loops runs. All give the same images, within one level where they round.
///
/// The fastest that the processor has is taken, unless the environment variable `CALOTYPE_SIMD` names another that it
/// has.
package enum KernelPath: String, CaseIterable, Sendable {
    /// Plain Swift: the oracle that the others are tested against.
    case swift
    /// C for every processor of the architecture.
    case baseline
    case avx2
    case avx512

    package var isSupported: Bool { self == .swift || clt_supports(level) }

    /// What the C kernels call it.
    var level: clt_level {
        switch self {
        case .swift, .baseline: CLT_BASELINE
        case .avx2: CLT_AVX2
        case .avx512: CLT_AVX512
        }
    }

    /// Overrules the choice inside a task; for tests. Read once per operation, on the caller's thread.
    @TaskLocal package static var forced: KernelPath?

    /// The path for an operation that begins now.
    package static var current: KernelPath { forced ?? chosen }

    private static let chosen: KernelPath = {
        if let name = unsafe getenv("CALOTYPE_SIMD"), let path = KernelPath(rawValue: unsafe String(cString: name)),
            path.isSupported
        {
            return path
        }
        return allCases.last { $0.isSupported } ?? .swift
    }()
}
