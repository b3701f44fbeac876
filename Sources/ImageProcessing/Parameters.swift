internal import ImageCore

/// How parameters are written in identifiers and checked.
extension Double {
    /// The shortest decimal text, without a fraction for whole numbers: `4`, `0.5`.
    var text: String {
        guard isFinite, self == rounded(), abs(self) < 1e15 else { return "\(self)" }
        return "\(Int(self))"
    }
}

extension ImageError {
    /// The error for a parameter whose value violates a rule.
    static func wrong(_ name: String, _ parameter: String, _ value: Double, _ rule: String) -> ImageError {
        ImageError(.invalidRequest, message: "The processor \(name) needs a \(parameter) \(rule), not \(value.text).")
    }
}

/// Checks that a parameter is a number in a range.
func require(_ name: String, _ parameter: String, _ value: Double, in range: ClosedRange<Double>) throws(ImageError) {
    guard range.contains(value) else {
        throw .wrong(name, parameter, value, "from \(range.lowerBound.text) to \(range.upperBound.text)")
    }
}

/// Checks that a side in pixels is from 1 to 1,000,000.
func require(_ name: String, side parameter: String, _ value: Int) throws(ImageError) {
    guard (1...1_000_000).contains(value) else { throw .wrong(name, parameter, Double(value), "from 1 to 1000000 pixels") }
}
