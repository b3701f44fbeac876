internal import Foundation

/// A scale from values to places on one side of a plot.
struct Axis {
    let bounds: ClosedRange<Double>
    let isLogarithmic: Bool
    /// The places of the bounds.
    private let start: Double
    private let end: Double

    /// An axis around all values: logarithmic if all are positive and they differ much, and otherwise from zero.
    ///
    /// - Parameter isLogarithmic: Whether positive values get a logarithmic axis even if they differ little.
    init(_ values: [Double], from start: Double, to end: Double, isLogarithmic: Bool = false) {
        (self.start, self.end) = (start, end)
        let (low, high) = (values.min() ?? 0, values.max() ?? 1)
        self.isLogarithmic = low > 0 && (isLogarithmic || high / low >= 5)
        if self.isLogarithmic {
            let (first, last) = (Self.round(low, up: false), Self.round(high, up: true))
            bounds = first < last ? first...last : first...(first * 2)
        } else {
            let step = Self.round((high - min(0, low)) / 4, up: true)
            bounds = min(0, low)...(step > 0 ? min(0, low) + ((high - min(0, low)) / step).rounded(.up) * step : 1)
        }
    }

    func place(_ value: Double) -> Double {
        let share =
            isLogarithmic
            ? log(max(value, bounds.lowerBound) / bounds.lowerBound) / log(bounds.upperBound / bounds.lowerBound)
            : (value - bounds.lowerBound) / (bounds.upperBound - bounds.lowerBound)
        return start + (end - start) * min(1, max(0, share))
    }

    /// At most six values to label.
    var ticks: [Double] {
        guard isLogarithmic else {
            let step = Self.round((bounds.upperBound - bounds.lowerBound) / 4, up: true)
            return (0...4).map { bounds.lowerBound + Double($0) * step }.filter { $0 <= bounds.upperBound * 1.000_001 }
        }
        let exponents = Int(log10(bounds.lowerBound).rounded(.down))...Int(log10(bounds.upperBound).rounded(.up))
        func within(_ factors: [Double], every stride: Int = 1) -> [Double] {
            exponents.filter { $0.isMultiple(of: stride) }.flatMap { exponent in factors.map { $0 * pow(10, Double(exponent)) } }
                .filter { $0 > bounds.lowerBound * 0.999_999 && $0 < bounds.upperBound * 1.000_001 }
        }
        let choices = [within([1, 2, 5]), within([1, 3]), within([1]), within([1], every: 2), within([1], every: 3)]
        return choices.first { $0.count <= 6 } ?? [bounds.lowerBound, bounds.upperBound]
    }

    /// `0.05`, `10`, `10,000`.
    static func text(_ value: Double) -> String {
        guard abs(value) >= 1_000 else { return String(format: "%.3g", value) }
        var (digits, groups) = (String(Int(value.rounded())), [String]())
        while digits.count > 3, digits.dropLast(3) != "-" {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return ([digits] + groups).joined(separator: ",")
    }

    /// The nearest of 1, 2 and 5 times a power of ten, above or below a positive value.
    private static func round(_ value: Double, up: Bool) -> Double {
        guard value > 0 else { return 0 }
        let power = pow(10, log10(value).rounded(.down))
        let steps = [1.0, 2, 5, 10].map { $0 * power }
        return up ? steps.first { $0 >= value * 0.999_999 } ?? value : steps.last { $0 <= value * 1.000_001 } ?? value
    }
}
