internal import ImageCore

/// How parameters are written in identifiers and checked.
extension Double {
    /// The shortest decimal form, without a fraction where there is none: `4`, `0.5`.
    var text: String {
        guard isFinite, self == rounded(), abs(self) < 1e15 else { return "\(self)" }
        return "\(Int(self))"
    }
}

extension ImageError {
    /// `name` needs a `parameter` that is `rule`, and got `value`.
    static func wrong(_ name: String, _ parameter: String, _ value: Double, _ rule: String) -> ImageError {
        ImageError(.invalidRequest, message: "The processor \(name) needs a \(parameter) \(rule), not \(value.text).")
    }
}

/// Refuses a parameter that is out of range, or no number.
func require(_ name: String, _ parameter: String, _ value: Double, in range: ClosedRange<Double>) throws(ImageError) {
    guard range.contains(value) else {
        throw .wrong(name, parameter, value, "from \(range.lowerBound.text) to \(range.upperBound.text)")
    }
}

/// Refuses a side, in pixels, that is not from 1 to 1,000,000.
func require(_ name: String, side parameter: String, _ value: Int) throws(ImageError) {
    guard (1...1_000_000).contains(value) else { throw .wrong(name, parameter, Double(value), "from 1 to 1000000 pixels") }
}
