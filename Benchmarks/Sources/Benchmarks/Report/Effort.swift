/// How long to measure.
enum Effort: String, CaseIterable, Sendable {
    /// Runs all suites in seconds, to show that they work. The figures mean little.
    case smoke
    /// Measures long enough for stable medians.
    case full

    /// Runs `batch` repeatedly, and returns the median of its results. The first run warms up and does not count.
    func median(of batch: () async throws -> Double) async rethrows -> Double {
        _ = try await batch()
        var values: [Double] = []
        for _ in 0..<(self == .smoke ? 3 : 15) { values.append(try await batch()) }
        return values.median
    }

    /// Returns `count`, or a fiftieth of it for a smoke run.
    func scaled(_ count: Int) -> Int { self == .smoke ? max(1, count / 50) : count }
}

extension [Double] {
    /// The median: the upper of the two middle values for an even number. There must be at least one value.
    var median: Double { sorted()[count / 2] }
}
