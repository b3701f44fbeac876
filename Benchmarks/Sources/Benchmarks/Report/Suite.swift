/// A named set of measurements.
struct Suite: Sendable {
    let name: String
    /// A short description of the measurements.
    let summary: String
    /// Runs the measurements, and returns a row for each figure. The second argument is the seed of everything random.
    let run: @Sendable (Effort, UInt64) async throws -> [Row]

    /// All suites in the order in which they run. Add new ones here.
    static let all: [Suite] =
        [.engine, .engineOnAllCores, .endToEnd] + scenarios + decoding + [.process, .network, .httpCache] + caches
        + [.start, .photos] + growth

    /// Whether a name on the command line selects this suite: its name, or the part before a hyphen.
    func isSelected(by name: String) -> Bool { self.name == name || self.name.hasPrefix(name + "-") }
}
