/// A named set of measurements.
struct BenchmarkSuite: Sendable {
    let name: String
    /// What it measures, in a few words.
    let about: String
    /// Measures, and returns a row for each thing measured.
    let run: @Sendable (BenchmarkEffort) async throws -> [BenchmarkRow]

    /// Every suite, in the order they run: a new one is added here.
    static let all: [BenchmarkSuite] = [.engine, .endToEnd] + decoding + [.process, .network, .httpCache, .cache]

    /// Whether a name on the command line stands for it: its own, or that of its family, up to a hyphen.
    func isMeant(by name: String) -> Bool { self.name == name || self.name.hasPrefix(name + "-") }
}

/// How long to measure.
enum BenchmarkEffort: Sendable {
    /// Seconds for all suites: shows that they work.
    case smoke
    /// Long enough for medians to stand still.
    case full

    /// Runs `batch` again and again, and returns the median of what it returns.
    func median(of batch: () async throws -> Double) async rethrows -> Double {
        var values: [Double] = []
        // The first run warms caches up and does not count.
        _ = try await batch()
        for _ in 0..<(self == .smoke ? 3 : 15) { values.append(try await batch()) }
        return values.sorted()[values.count / 2]
    }

    /// Tells whoever watches what is measured now.
    func tell(_ step: String) {
        if Console.showsProgress { Console.writeError("  \(step)\n") }
    }

    /// So many, or a tenth of them.
    func scaled(_ count: Int) -> Int { self == .smoke ? max(1, count / 10) : count }
}

/// One thing that was measured.
struct BenchmarkRow: Sendable {
    /// Another library's or tool's figure for the same thing, in the same unit.
    struct Peer: Sendable {
        let name: String
        let value: Double
        /// Whether it was measured in this very run, or was recorded on a machine of the same kind.
        let ranHere: Bool
        /// The ratio of this project's figure to the peer's that is to be reached, at most; `nil` where none is asked for.
        let reach: Double?
    }

    let suite: String
    let name: String
    let median: Double
    /// Of ``median`` and the peer's figure, such as `µs`.
    let unit: String
    var peer: Peer?
    /// The standard error of ``ratio`` as a part of it, where figures of single runs are too coarse to do without: 0.01 for a
    /// hundredth.
    var ratioError: Double?

    /// This project's figure over the peer's: below 1 is better.
    var ratio: Double? { peer.flatMap { $0.value > 0 ? median / $0.value : nil } }

    var json: JSONObject {
        var object = JSONObject()
        object["suite"] = .string(suite)
        object["name"] = .string(name)
        object["median"] = .number(median)
        object["unit"] = .string(unit)
        object["peer"] = .optional(peer?.name)
        object["peerMedian"] = peer.map { .number($0.value) } ?? .null
        object["peerRanHere"] = peer.map { .boolean($0.ranHere) } ?? .null
        object["ratio"] = ratio.map { .number($0) } ?? .null
        object["ratioError"] = ratioError.map { .number($0) } ?? .null
        object["reach"] = peer?.reach.map { .number($0) } ?? .null
        return object
    }

    private var errorText: String { ratioError.map { " ± \(Units.threeDigits(100 * $0)) %" } ?? "" }

    static func table(_ rows: [BenchmarkRow]) -> String {
        var table = Table([
            ("suite", .left), ("what", .left), ("median", .right), ("unit", .left), ("peer", .left), ("peer's", .right),
            ("ratio", .right), ("reach", .left),
        ])
        for row in rows {
            table.add([
                row.suite, row.name, Units.threeDigits(row.median), row.unit, row.peer?.name ?? "",
                row.peer.map { Units.threeDigits($0.value) + ($0.ranHere ? "" : "*") } ?? "",
                row.ratio.map { Units.threeDigits($0) + row.errorText } ?? "",
                row.peer?.reach.map { "<= \(Units.threeDigits($0))" } ?? "",
            ])
        }
        let note = rows.contains { $0.peer?.ranHere == false }
        return table.text + (note ? "\n* recorded before on a machine of the same kind, not in this run" : "")
    }
}
