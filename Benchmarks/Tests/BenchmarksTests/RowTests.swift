import Foundation
import Testing

@testable import Benchmarks

@Suite struct RowTests {
    private func row(_ median: Double, _ peer: Double?, _ budget: Row.Budget?) -> Row {
        Row(
            suite: "s", name: "n", median: median, unit: "µs", peer: Row.Peer(name: "p", value: peer, isRecorded: true),
            budget: budget)
    }

    private func lastCells(_ row: Row) -> String {
        Row.table([row]).split(separator: "\n")[1].split(separator: " ").dropFirst(2).joined(separator: " ")
    }

    @Test func aRatioIsTheFigureDividedByThePeers() {
        var measured = row(3, 6, .ratio(0.5))
        #expect(measured.ratio == 0.5 && measured.isWithinBudget == true)
        #expect(lastCells(measured) == "3.00 µs p 6.00* 0.50 <= 0.50x")
        measured.ratioError = 0.012
        #expect(lastCells(measured) == "3.00 µs p 6.00* 0.50 ± 1.20 % <= 0.50x")
    }

    @Test func aMissingPeerLeavesItsCellsEmpty() throws {
        let measured = row(3, nil, .ratio(0.5))
        #expect(measured.ratio == nil && measured.isWithinBudget == nil)
        #expect(lastCells(measured) == "3.00 µs p <= 0.50x")
        let object = try #require(
            try JSONSerialization.jsonObject(with: Row.json([measured])) as? [[String: Any]]
        ).first
        #expect(object?["peer"] as? String == "p" && object?["peerMedian"] == nil && object?["isWithinBudget"] == nil)
        #expect(object?["budget"] as? Double == 0.5 && object?["budgetKind"] as? String == "ratio")
    }

    @Test(arguments: [
        (Row.Budget.atMost(3), true), (.atMost(2.9), false), (.atLeast(3), true), (.atLeast(3.1), false), (.ratio(0.4), false),
    ])
    func aFigureIsWithinItsBudgetOrOverIt(_ budget: Row.Budget, _ isWithin: Bool) {
        #expect(row(3, 6, budget).isWithinBudget == isWithin)
        #expect(Row.table([row(3, 6, budget)]).contains("  over") != isWithin)
    }

    @Test func recordedFiguresAreMarked() throws {
        #expect(Row.table([row(3, 6, nil)]).hasSuffix("\n* recorded earlier on a machine of the same kind, not in this run"))
        #expect(String(decoding: try Row.json([row(3, 6, nil)]), as: UTF8.self).contains(#""peerIsRecorded" : true"#))
    }

    @Test func figuresHaveThreeDigitsAndSmallOnesTwo() {
        #expect([0, 0.00123, 0.5, 14.23, 1_234.5].map(Row.threeDigits) == ["0.00", "0.0012", "0.50", "14.2", "1234"])
    }

    @Test func quartilesAreInterpolatedBetweenSamples() {
        #expect([4, 1, 3, 2, 5].quartiles == 2...4)
        #expect([1.0, 2].quartiles == 1.25...1.75)
        #expect([1.0].quartiles == nil && [Double]().quartiles == nil)
    }

    @Test func aRowIsDecodedAsItWasEncoded() throws {
        var rows = [row(3, 6, .ratio(0.5)), row(2, nil, .atLeast(1)), row(1, 2, .atMost(1)), row(1, 2, nil)]
        rows[0].ratioError = 0.25
        rows[0].samples = [1, 3, 4]
        rows[0].peer?.samples = [6, 6]
        rows[1].amount = Row.Amount(line: "l", value: 100, unit: "images")
        rows[3].peer = nil
        let read = try JSONDecoder().decode([Row].self, from: Row.json(rows))
        #expect(read.map { "\($0)" } == rows.map { "\($0)" })
    }
}
