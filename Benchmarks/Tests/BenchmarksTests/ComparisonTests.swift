import Testing

@testable import Benchmarks

@Suite struct ComparisonTests {
    private func compare(_ before: [Row], _ after: [Row]) -> Comparison {
        Comparison(SampleRuns.run(before), SampleRuns.run(after))
    }

    @Test func equalRunsHaveNoChanges() {
        let rows = [SampleRuns.row("a", [1, 2, 3], peer: [1]), SampleRuns.row("b", [1])]
        let comparison = compare(rows, rows)
        #expect(comparison.changes.isEmpty)
        #expect(comparison.text == "None of 2 figures changed beyond the noise.")
    }

    @Test func aChangeWithinTheQuartilesIsNoise() {
        #expect(compare([SampleRuns.row("a", [10, 11, 15])], [SampleRuns.row("a", [12, 14, 15])]).changes.isEmpty)
    }

    @Test func aChangeBeyondTheQuartilesIsShown() throws {
        let comparison = compare([SampleRuns.row("a", [10, 10.1, 10.2])], [SampleRuns.row("a", [15, 15.15, 15.3])])
        #expect(comparison.changes.count == 1 && abs(comparison.changes[0].factor - 1.5) < 1e-9)
        let line = try #require(comparison.text.split(separator: "\n").dropFirst().first)
        #expect(line.split(separator: " ").joined(separator: " ") == "engine a 10.1 15.2 µs +50.0 % worse")
        #expect(comparison.text.hasSuffix("1 of 1 figures changed beyond the noise."))
    }

    @Test func aSmallChangeIsNoneHoweverExactTheFigures() {
        #expect(compare([SampleRuns.row("a", [100, 100, 100])], [SampleRuns.row("a", [104, 104, 104])]).changes.isEmpty)
    }

    @Test func oneSampleMustDifferByATenth() {
        #expect(compare([SampleRuns.row("a", [100])], [SampleRuns.row("a", [109])]).changes.isEmpty)
        #expect(compare([SampleRuns.row("a", [100])], [SampleRuns.row("a", [112])]).changes.count == 1)
    }

    @Test func aSlowerMachineIsNoChange() {
        let before = SampleRuns.row("a", [10, 10, 10], peer: [20, 20])
        #expect(compare([before], [SampleRuns.row("a", [15, 15, 15], peer: [30, 30])]).changes.isEmpty)
        #expect(compare([before], [SampleRuns.row("a", [15, 15, 15], peer: [20, 20])]).changes.count == 1)
    }

    @Test func aLargerHitRatioIsBetter() {
        let comparison = compare(
            [SampleRuns.row("hits", [0.5], unit: "of all")], [SampleRuns.row("hits", [0.7], unit: "of all")])
        #expect(comparison.text.contains("better"))
    }

    @Test func figuresOfOneRunAreNamed() {
        let comparison = compare([SampleRuns.row("a", [1])], [SampleRuns.row("b", [1])])
        #expect(comparison.text.contains("Only the first run has 1 figures: engine: a, µs."))
        #expect(comparison.text.contains("Only the second run has 1 figures: engine: b, µs."))
    }
}
