import CalotypeSystem

/// The functions of the C library that hashes and tone mapping are computed with.
enum Cosine {
    static func of(_ angle: Double) -> Double { cos(angle) }
}

enum Power {
    static func of(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }

    static func exponential(_ value: Double) -> Double { exp(value) }
}
