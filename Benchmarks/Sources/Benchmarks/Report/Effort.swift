/// How long to measure.
enum Effort: String, CaseIterable, Codable, Sendable {
    /// Runs all suites in seconds, to show that they work. The figures mean little.
    case smoke
    /// Measures long enough for stable medians.
    case full

    /// Runs `batch` repeatedly, and returns its results. The first run warms up and does not count.
    func samples(of batch: () async throws -> Double) async rethrows -> [Double] {
        _ = try await batch()
        var values: [Double] = []
        for _ in 0..<(self == .smoke ? 3 : 15) { values.append(try await batch()) }
        return values
    }

    /// Returns `count`, or a fiftieth of it for a smoke run.
    func scaled(_ count: Int) -> Int { self == .smoke ? max(1, count / 50) : count }
}

extension [Double] {
    /// The median: the upper of the two middle values for an even number. There must be at least one value.
    var median: Double { sorted()[count / 2] }

    /// The first and the third quartile, interpolated between values; `nil` for fewer than two values.
    var quartiles: ClosedRange<Double>? {
        guard count > 1 else { return nil }
        let values = sorted()
        func value(at share: Double) -> Double {
            let place = share * Double(values.count - 1)
            let (lower, part) = (Int(place), place - place.rounded(.down))
            return values[lower] + (values[Swift.min(lower + 1, values.count - 1)] - values[lower]) * part
        }
        return value(at: 0.25)...value(at: 0.75)
    }
}
