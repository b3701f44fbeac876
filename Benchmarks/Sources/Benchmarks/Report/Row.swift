internal import Foundation

/// A measured figure.
struct Row: Sendable {
    /// The figure of another library or tool for the same work, in the same unit.
    struct Peer: Sendable {
        let name: String
        /// `nil` when the peer is not installed.
        let value: Double?
        /// Whether the figure was recorded earlier on a machine of the same kind, and not measured in this run.
        var isRecorded = false
        /// The measured values whose median is ``value``; empty when they are unknown.
        var samples: [Double] = []
    }

    /// The amount of work of a row that is a point of a line: 100 images of 10 to 10,000.
    struct Amount: Sendable {
        /// The name of the line. The rows of a suite with the same line are its points.
        let line: String
        let value: Double
        /// The unit of ``value``, such as `images`.
        let unit: String
    }

    /// A limit from the table "Budgets" of the project's design.
    enum Budget: Sendable {
        /// At most this, in the unit of the row.
        case atMost(Double)
        /// At least this, in the unit of the row.
        case atLeast(Double)
        /// At most this part of the peer's figure.
        case ratio(Double)
    }

    let suite: String
    let name: String
    let median: Double
    /// The measured values; empty when they are unknown.
    var samples: [Double] = []
    /// The unit of ``median`` and of the peer's figure, such as `µs`.
    let unit: String
    var peer: Peer?
    var budget: Budget?
    var amount: Amount?
    /// The standard error of ``ratio`` as a part of it, for figures whose single runs are coarse: 0.01 for a hundredth.
    var ratioError: Double?

    /// This project's figure divided by the peer's: below 1 is better.
    var ratio: Double? { peer?.value.flatMap { $0 > 0 ? median / $0 : nil } }

    /// Whether a larger figure is better.
    var isHigherBetter: Bool { unit == "of all" }

    /// Whether the figure is within its budget; `nil` without a budget, or when the peer of a ratio is missing.
    var isWithinBudget: Bool? {
        switch budget {
        case .atMost(let limit): median <= limit
        case .atLeast(let limit): median >= limit
        case .ratio(let limit): ratio.map { $0 <= limit }
        case nil: nil
        }
    }
}

extension Row {
    /// - Parameter samples: At least one value.
    init(
        suite: String, name: String, samples: [Double], unit: String, peer: Peer? = nil, budget: Budget? = nil,
        amount: Amount? = nil
    ) {
        self.init(
            suite: suite, name: name, median: samples.median, samples: samples, unit: unit, peer: peer, budget: budget,
            amount: amount)
    }
}

extension Row.Peer {
    /// - Parameter samples: `nil` or empty when the peer is not installed.
    init(name: String, samples: [Double]?) {
        let samples = samples ?? []
        self.init(name: name, value: samples.isEmpty ? nil : samples.median, samples: samples)
    }
}

extension Row {
    /// Returns the rows as text. A star marks figures that were not measured in this run, and `over` marks those that
    /// exceed their budget.
    static func table(_ rows: [Row]) -> String {
        var table = Table(["suite", "what", "median", "unit", "peer", "peer's", "ratio", "budget"], rightAligned: [2, 5, 6])
        for row in rows {
            let error = row.ratioError.map { " ± \(threeDigits(100 * $0)) %" } ?? ""
            table.add([
                row.suite, row.name, threeDigits(row.median), row.unit, row.peer?.name ?? "",
                row.peer?.value.map { threeDigits($0) + (row.peer?.isRecorded == true ? "*" : "") } ?? "",
                row.ratio.map { threeDigits($0) + error } ?? "",
                row.budgetText + (row.isWithinBudget == false ? "  over" : ""),
            ])
        }
        let hasRecorded = rows.contains { $0.peer?.isRecorded == true }
        return table.text + (hasRecorded ? "\n* recorded earlier on a machine of the same kind, not in this run" : "")
    }

    /// The budget as text; empty without one.
    var budgetText: String {
        switch budget {
        case .atMost(let limit): "<= \(Self.threeDigits(limit)) \(unit)"
        case .atLeast(let limit): ">= \(Self.threeDigits(limit)) \(unit)"
        case .ratio(let limit): "<= \(Self.threeDigits(limit))x"
        case nil: ""
        }
    }

    /// `0.0012`, `0.50`, `14.2`, `1234`.
    static func threeDigits(_ value: Double) -> String {
        if value != 0, abs(value) < 0.01 { return String(format: "%.2g", value) }
        let decimals = abs(value) < 9.995 ? 2 : abs(value) < 99.95 ? 1 : 0
        return String(format: "%.\(decimals)f", value)
    }
}

extension Row: Codable {
    private enum Key: String, CodingKey {
        case suite, name, median, samples, unit, peer, peerMedian, peerSamples, peerIsRecorded, ratio, ratioError
        case budget, budgetKind, isWithinBudget, line, amount, amountUnit
    }

    /// Returns the rows as a JSON array, without missing values.
    static func json(_ rows: [Row]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(rows)
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(suite, forKey: .suite)
        try object.encode(name, forKey: .name)
        try object.encode(median, forKey: .median)
        if !samples.isEmpty { try object.encode(samples, forKey: .samples) }
        try object.encode(unit, forKey: .unit)
        try object.encodeIfPresent(peer?.name, forKey: .peer)
        try object.encodeIfPresent(peer?.value, forKey: .peerMedian)
        if let peer, !peer.samples.isEmpty { try object.encode(peer.samples, forKey: .peerSamples) }
        try object.encodeIfPresent(peer?.isRecorded, forKey: .peerIsRecorded)
        try object.encodeIfPresent(ratio, forKey: .ratio)
        try object.encodeIfPresent(ratioError, forKey: .ratioError)
        try object.encodeIfPresent(isWithinBudget, forKey: .isWithinBudget)
        try object.encodeIfPresent(amount?.line, forKey: .line)
        try object.encodeIfPresent(amount?.value, forKey: .amount)
        try object.encodeIfPresent(amount?.unit, forKey: .amountUnit)
        let (limit, kind): (Double?, String?) =
            switch budget {
            case .atMost(let limit): (limit, "atMost")
            case .atLeast(let limit): (limit, "atLeast")
            case .ratio(let limit): (limit, "ratio")
            case nil: (nil, nil)
            }
        try object.encodeIfPresent(limit, forKey: .budget)
        try object.encodeIfPresent(kind, forKey: .budgetKind)
    }
}

extension Row {
    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        suite = try object.decode(String.self, forKey: .suite)
        name = try object.decode(String.self, forKey: .name)
        median = try object.decode(Double.self, forKey: .median)
        samples = try object.decodeIfPresent([Double].self, forKey: .samples) ?? []
        unit = try object.decode(String.self, forKey: .unit)
        ratioError = try object.decodeIfPresent(Double.self, forKey: .ratioError)
        if let name = try object.decodeIfPresent(String.self, forKey: .peer) {
            let value = try object.decodeIfPresent(Double.self, forKey: .peerMedian)
            peer = Peer(
                name: name, value: value, isRecorded: try object.decode(Bool.self, forKey: .peerIsRecorded),
                samples: try object.decodeIfPresent([Double].self, forKey: .peerSamples) ?? [])
        }
        if let line = try object.decodeIfPresent(String.self, forKey: .line) {
            amount = Amount(
                line: line, value: try object.decode(Double.self, forKey: .amount),
                unit: try object.decode(String.self, forKey: .amountUnit))
        }
        guard let limit = try object.decodeIfPresent(Double.self, forKey: .budget) else { return }
        switch try object.decode(String.self, forKey: .budgetKind) {
        case "atMost": budget = .atMost(limit)
        case "atLeast": budget = .atLeast(limit)
        default: budget = .ratio(limit)
        }
    }
}
