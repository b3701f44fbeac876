import Testing

@testable import Benchmarks

/// The same seed gives the same work.
@Suite struct SeedTests {
    @Test func photosRepeatWithTheirSeed() throws {
        func photos(_ seed: UInt64) throws -> [[UInt8]] { try PhotoServer.photos(widths: 40...80, count: 3, seed: seed) }
        #expect(try photos(3) == photos(3))
        #expect(try photos(3) != photos(4))
    }

    @Test func walksRepeatWithTheirSeed() {
        let walk = ScrollBench.walk(rows: 250, steps: 400, seed: 3)
        #expect(walk.count == 400 && walk.allSatisfy { (0..<250).contains($0) })
        #expect(zip(walk, walk.dropFirst()).allSatisfy { abs($0 - $1) == 1 })
        #expect(walk == ScrollBench.walk(rows: 250, steps: 400, seed: 3))
        #expect(walk != ScrollBench.walk(rows: 250, steps: 400, seed: 4))
    }

    @Test func tracesRepeatWithTheirSeed() {
        func traces(_ seed: UInt64) -> [[Int32]] { AccessTraces(items: 200, accesses: 500, seed: seed).all.map(\.keys) }
        #expect(traces(3) == traces(3))
        #expect(traces(3) != traces(4))
    }
}
