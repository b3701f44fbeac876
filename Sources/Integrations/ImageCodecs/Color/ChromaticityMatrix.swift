/// A 3×3 matrix between colours and CIE XYZ.
struct ChromaticityMatrix {
    let columns: [SIMD3<Double>]

    /// Creates the matrix from linear RGB to XYZ (SMPTE RP 177), from x and y of white, red, green and blue, or returns
    /// `nil` if they form no gamut.
    init?(_ c: [Double]) {
        guard c.count == 8, c[1] > 0, c[3] > 0, c[5] > 0, c[7] > 0 else { return nil }
        func xyz(_ i: Int) -> SIMD3<Double> { SIMD3(c[2 * i], c[2 * i + 1], 1 - c[2 * i] - c[2 * i + 1]) / c[2 * i + 1] }
        let primaries = Self(columns: [xyz(1), xyz(2), xyz(3)])
        guard let scale = primaries.inverse?.applied(to: xyz(0)) else { return nil }
        columns = (0..<3).map { primaries.columns[$0] * scale[$0] }
    }

    private init(columns: [SIMD3<Double>]) { self.columns = columns }

    private func applied(to v: SIMD3<Double>) -> SIMD3<Double> {
        columns[0] * v.x + columns[1] * v.y + columns[2] * v.z
    }

    /// Returns the matrix that applies `other` first and then this one.
    func after(_ other: Self) -> Self { Self(columns: other.columns.map(applied(to:))) }

    var inverse: Self? {
        func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
            SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
        }
        let (a, b, c) = (columns[0], columns[1], columns[2])
        let rows = [cross(b, c), cross(c, a), cross(a, b)]
        let determinant = (a * rows[0]).sum()
        guard abs(determinant) > 1e-12 else { return nil }
        return Self(columns: (0..<3).map { SIMD3(rows[0][$0], rows[1][$0], rows[2][$0]) / determinant })
    }
}
