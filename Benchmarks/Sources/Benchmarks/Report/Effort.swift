/// How long to measure.
enum Effort: String, CaseIterable, Sendable {
    /// Seconds for all suites: shows that they work. The figures mean little.
    case smoke
    /// Long enough for medians to stand still.
    case full

    /// Runs `batch` repeatedly, and returns the median of what it returns. The first run warms up and does not count.
    func median(of batch: () async throws -> Double) async rethrows -> Double {
        _ = try await batch()
        var values: [Double] = []
        for _ in 0..<(self == .smoke ? 3 : 15) { values.append(try await batch()) }
        return values.median
    }

    /// `count`, or for a smoke run a fiftieth of it.
    func scaled(_ count: Int) -> Int { self == .smoke ? max(1, count / 50) : count }
}

extension [Double] {
    /// The upper one of the two in the middle where their number is even. There must be one at least.
    var median: Double { sorted()[count / 2] }
}
