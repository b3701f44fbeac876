@testable import Benchmarks

/// Runs with fixed rows.
enum SampleRuns {
    /// A name that is markup in HTML, SVG, Markdown and JSON, and has a character that XML does not allow.
    static let hostileName = "<script>\"a\" & 'b'</script> | \\ \u{1}é"

    static func run(_ rows: [Row]) -> Run {
        var run = Run(suites: ["engine"], effort: .full, seed: 7)
        run.date = "2026-01-02T03:04:05Z"
        run.commit = "abc123"
        run.rows = rows
        return run
    }

    static func row(
        _ name: String, _ samples: [Double], peer: [Double]? = nil, budget: Row.Budget? = nil, unit: String = "µs"
    ) -> Row {
        Row(
            suite: "engine", name: name, samples: samples, unit: unit, peer: peer.map { Row.Peer(name: "peer", samples: $0) },
            budget: budget)
    }

    /// The points of a line: the cost grows with the square of the work.
    static let line = [10.0, 100, 1_000].map { amount in
        Row(
            suite: "growth", name: "loads, \(amount)", samples: [amount * amount, amount * amount * 1.1, amount * amount * 1.2],
            unit: "ms", peer: Row.Peer(name: "peer", samples: [amount, amount]),
            amount: Row.Amount(line: "loads", value: amount, unit: "images"))
    }
}
