/// What changed from one run to another beyond the noise.
///
/// A figure changed if its quartiles in the two runs do not overlap and its medians differ by more than a twentieth.
/// Figures of one sample, whose noise is unknown, must differ by more than a tenth. Where the same peer was measured in
/// both runs, the ratio to it must have changed as much in the same direction, because a slower machine slows the peer
/// too.
struct Comparison {
    struct Change {
        let row: Row
        let before: Row
        /// The figure divided by the figure before.
        let factor: Double
        /// The same of the measured peer; `nil` without one.
        let peerFactor: Double?
    }

    let changes: [Change]
    /// The number of figures that both runs have.
    let compared: Int
    /// The figures that only one of the runs has.
    let onlyBefore: [String]
    let onlyAfter: [String]

    private struct Name: Hashable {
        let suite: String
        let name: String
        let unit: String

        init(_ row: Row) { (suite, name, unit) = (row.suite, row.name, row.unit) }

        var text: String { "\(suite): \(name), \(unit)" }
    }

    init(_ before: Run, _ after: Run) {
        // The rows of a name have the same figure, and another peer each.
        let (old, new) = (Dictionary(grouping: before.rows, by: Name.init), Dictionary(grouping: after.rows, by: Name.init))
        let names = after.rows.map(Name.init).uniqued()
        onlyBefore = before.rows.map(Name.init).uniqued().filter { new[$0] == nil }.map(\.text)
        onlyAfter = names.filter { old[$0] == nil }.map(\.text)
        let common = names.filter { old[$0] != nil }
        compared = common.count
        changes = common.compactMap { name in Self.change(from: old[name] ?? [], to: new[name] ?? []) }
    }

    private static func change(from before: [Row], to after: [Row]) -> Change? {
        guard let old = before.first, let new = after.first, isChanged(old, new) else { return nil }
        let factor = new.median / old.median
        let peerFactors = after.compactMap { row -> Double? in
            guard let peer = row.peer, !peer.isRecorded, let value = peer.value,
                let before = before.first(where: { $0.peer?.name == peer.name })?.peer?.value, before > 0
            else { return nil }
            return value / before
        }
        let peerFactor = peerFactors.isEmpty ? nil : peerFactors.median
        if let peerFactor, peerFactor > 0, factor > 0 {
            let relative = factor / peerFactor
            guard (factor > 1) == (relative > 1), max(relative, 1 / relative) > 1.05 else { return nil }
        }
        return Change(row: new, before: old, factor: factor, peerFactor: peerFactor)
    }

    private static func isChanged(_ old: Row, _ new: Row) -> Bool {
        let (low, high) = (min(old.median, new.median), max(old.median, new.median))
        guard let before = old.samples.quartiles, let after = new.samples.quartiles else { return high > low * 1.1 }
        return high > low * 1.05 && !before.overlaps(after)
    }

    /// The changes as a table, or that there are none.
    var text: String {
        var lines: [String] = []
        if changes.isEmpty {
            lines.append("None of \(compared) figures changed beyond the noise.")
        } else {
            var table = Table(
                ["suite", "what", "before", "after", "unit", "change", "peer's change", ""], rightAligned: [2, 3, 5, 6])
            for change in changes {
                let isBetter = (change.factor < 1) != change.row.isHigherBetter
                table.add([
                    change.row.suite, change.row.name, Row.threeDigits(change.before.median), Row.threeDigits(change.row.median),
                    change.row.unit, Self.percent(change.factor), change.peerFactor.map(Self.percent) ?? "",
                    isBetter ? "better" : "worse",
                ])
            }
            lines += [table.text, "", "\(changes.count) of \(compared) figures changed beyond the noise."]
        }
        for (names, run) in [(onlyBefore, "first"), (onlyAfter, "second")] where !names.isEmpty {
            lines.append("Only the \(run) run has \(names.count) figures: \(Self.list(names)).")
        }
        return lines.joined(separator: "\n")
    }

    private static func percent(_ factor: Double) -> String {
        guard factor.isFinite else { return "from 0" }
        let percent = (factor - 1) * 100
        return "\(percent < 0 ? "−" : "+")\(Row.threeDigits(abs(percent))) %"
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(3).joined(separator: "; ") + (names.count > 3 ? " …" : "")
    }
}
