import ImageDecoding
/// A 3×3 matrix between colours and CIE XYZ, in row order.
struct ChromaticityMatrix {
    let values: [Double]

    /// Creates the matrix from linear RGB to XYZ (SMPTE RP 177), from x and y of white, red, green and blue, or returns `nil` if
    /// they form no gamut.
    init?(_ c: [Double]) {
        guard c.count == 8, c[1] > 0, c[3] > 0, c[5] > 0, c[7] > 0 else { return nil }
        func xyz(_ i: Int) -> [Double] { [c[2 * i] / c[2 * i + 1], 1, (1 - c[2 * i] - c[2 * i + 1]) / c[2 * i + 1]] }
        let (white, red, green, blue) = (xyz(0), xyz(1), xyz(2), xyz(3))
        let columns = Self(values: (0..<3).flatMap { [red[$0], green[$0], blue[$0]] })
        guard let inverse = columns.inverse else { return nil }
        let scale = inverse.applied(to: white)
        values = (0..<9).map { columns.values[$0] * scale[$0 % 3] }
    }

    private init(values: [Double]) { self.values = values }

    func applied(to v: [Double]) -> [Double] {
        (0..<3).map { row -> Double in
            values[3 * row] * v[0] + values[3 * row + 1] * v[1] + values[3 * row + 2] * v[2]
        }
    }

    /// Returns the matrix that applies `other` first and then this one.
    func after(_ other: Self) -> Self {
        var product = [Double](repeating: 0, count: 9)
        for row in 0..<3 {
            for column in 0..<3 {
                for k in 0..<3 { product[3 * row + column] += values[3 * row + k] * other.values[3 * k + column] }
            }
        }
        return Self(values: product)
    }

    var inverse: Self? {
        let m = values
        func minor(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Double { m[a] * m[d] - m[b] * m[c] }
        let places = [
            (4, 5, 7, 8), (2, 1, 8, 7), (1, 2, 4, 5), (5, 3, 8, 6), (0, 2, 6, 8), (2, 0, 5, 3), (3, 4, 6, 7), (1, 0, 7, 6),
            (0, 1, 3, 4),
        ]
        let cofactors: [Double] = places.map { minor($0.0, $0.1, $0.2, $0.3) }
        let determinant = m[0] * cofactors[0] + m[1] * cofactors[3] + m[2] * cofactors[6]
        guard abs(determinant) > 1e-12 else { return nil }
        return Self(values: cofactors.map { $0 / determinant })
    }
}
