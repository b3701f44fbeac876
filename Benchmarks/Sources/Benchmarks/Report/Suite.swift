/// A named set of measurements.
struct Suite: Sendable {
    let name: String
    /// What it measures, in a few words.
    let summary: String
    /// Measures, and returns a row for each figure.
    let run: @Sendable (Effort) async throws -> [Row]

    /// Every suite, in the order in which they run: a new one is added here.
    static let all: [Suite] =
        [.engine, .engineOnAllCores, .endToEnd] + decoding + [.process, .network, .httpCache, .cache, .start, .photos]

    /// Whether a name on the command line stands for this suite: its own, or the part of its own before a hyphen.
    func isMeant(by name: String) -> Bool { self.name == name || self.name.hasPrefix(name + "-") }
}
