internal import CalotypeSystem

/// The kernel that weights the source pixels of a resize.
///
/// When an image is made smaller, the kernel is stretched by the reduction, so that every filter but ``nearest``
/// averages and does not alias. The raw values are the names on the command line.
public enum ResampleFilter: String, Hashable, Sendable, CaseIterable {
    /// The source pixel at the centre of the result's pixel.
    case nearest
    /// The mean of the area that the pixel covers. Radius 0.5.
    case box
    /// Linear interpolation, a triangle. Radius 1.
    case bilinear
    /// The cubic of Catmull and Rom (B = 0, C = 1/2): sharp, with a little overshoot. Radius 2.
    case catmullRom = "catmull-rom"
    /// The cubic of Mitchell and Netravali (B = C = 1/3; "Reconstruction Filters in Computer Graphics", 1988): softer,
    /// with hardly any overshoot. Radius 2.
    case mitchell
    /// A sinc in a Lanczos window of two lobes. Radius 2.
    case lanczos2
    /// A sinc in a Lanczos window of three lobes: the sharpest here. Radius 3.
    case lanczos3

    /// Half the kernel's width, in pixels of the coarser of source and result.
    public var radius: Double {
        switch self {
        case .nearest, .box: 0.5
        case .bilinear: 1
        case .catmullRom, .mitchell, .lanczos2: 2
        case .lanczos3: 3
        }
    }

    /// The kernel's value at `x` pixels from its centre; 0 outside the radius. Not normalised.
    public func weight(at x: Double) -> Double {
        switch self {
        case .nearest, .box: x > -0.5 && x <= 0.5 ? 1 : 0
        case .bilinear: max(0, 1 - abs(x))
        case .catmullRom: ResampleFilter.cubic(abs(x), b: 0, c: 0.5)
        case .mitchell: ResampleFilter.cubic(abs(x), b: 1.0 / 3, c: 1.0 / 3)
        case .lanczos2: ResampleFilter.lanczos(x, lobes: 2)
        case .lanczos3: ResampleFilter.lanczos(x, lobes: 3)
        }
    }

    /// The two-parameter family of Mitchell and Netravali, for `x` ≥ 0.
    private static func cubic(_ x: Double, b: Double, c: Double) -> Double {
        if x < 1 { return (((12 - 9 * b - 6 * c) * x + (-18 + 12 * b + 6 * c)) * x * x + (6 - 2 * b)) / 6 }
        if x < 2 { return (((-b - 6 * c) * x + (6 * b + 30 * c)) * x * x + (-12 * b - 48 * c) * x + (8 * b + 24 * c)) / 6 }
        return 0
    }

    private static func lanczos(_ x: Double, lobes: Double) -> Double {
        guard abs(x) < lobes else { return 0 }
        guard x != 0 else { return 1 }
        let angle = Double.pi * x
        let window = sin(angle / lobes)
        // sin 3α = (3 − 4 sin² α) sin α, which takes less time than another sine.
        let sine = lobes == 3 ? (3 - 4 * window * window) * window : sin(angle)
        return lobes * sine * window / (angle * angle)
    }
}
