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
    /// The unit of ``median`` and of the peer's figure, such as `µs`.
    let unit: String
    var peer: Peer?
    var budget: Budget?
    /// The standard error of ``ratio`` as a part of it, for figures whose single runs are coarse: 0.01 for a hundredth.
    var ratioError: Double?

    /// This project's figure divided by the peer's: below 1 is better.
    var ratio: Double? { peer?.value.flatMap { $0 > 0 ? median / $0 : nil } }

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

    private var budgetText: String {
        switch budget {
        case .atMost(let limit): "<= \(Self.threeDigits(limit)) \(unit)"
        case .atLeast(let limit): ">= \(Self.threeDigits(limit)) \(unit)"
        case .ratio(let limit): "<= \(Self.threeDigits(limit))x"
        case nil: ""
        }
    }

    /// `0.50`, `14.2`, `1234`.
    private static func threeDigits(_ value: Double) -> String {
        let decimals = abs(value) < 9.995 ? 2 : abs(value) < 99.95 ? 1 : 0
        return String(format: "%.\(decimals)f", value)
    }
}

extension Row: Codable {
    private enum Key: String, CodingKey {
        case suite, name, median, unit, peer, peerMedian, peerIsRecorded, ratio, ratioError, budget, budgetKind, isWithinBudget
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
        try object.encode(unit, forKey: .unit)
        try object.encodeIfPresent(peer?.name, forKey: .peer)
        try object.encodeIfPresent(peer?.value, forKey: .peerMedian)
        try object.encodeIfPresent(peer?.isRecorded, forKey: .peerIsRecorded)
        try object.encodeIfPresent(ratio, forKey: .ratio)
        try object.encodeIfPresent(ratioError, forKey: .ratioError)
        try object.encodeIfPresent(isWithinBudget, forKey: .isWithinBudget)
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
        unit = try object.decode(String.self, forKey: .unit)
        ratioError = try object.decodeIfPresent(Double.self, forKey: .ratioError)
        if let name = try object.decodeIfPresent(String.self, forKey: .peer) {
            let value = try object.decodeIfPresent(Double.self, forKey: .peerMedian)
            peer = Peer(name: name, value: value, isRecorded: try object.decode(Bool.self, forKey: .peerIsRecorded))
        }
        guard let limit = try object.decodeIfPresent(Double.self, forKey: .budget) else { return }
        switch try object.decode(String.self, forKey: .budgetKind) {
        case "atMost": budget = .atMost(limit)
        case "atLeast": budget = .atLeast(limit)
        default: budget = .ratio(limit)
        }
    }
}
