import CalotypeTesting
import Testing

@testable import FrequencyCache

@Suite struct S3FIFOTests {
    @Test func aKeyThatWasUsedMoreThanOnceMovesToTheMainQueue() {
        var order = S3FIFO<Int>()
        for key in 0..<10 { order.insert(key, cost: 1) }
        order.use(0)
        order.use(0)
        order.use(1)
        // 0 moves to the main queue.
        #expect((0..<9).map { _ in order.evict() } == [1, 2, 3, 4, 5, 6, 7, 8, 9])
        #expect(order.evict() == 0)
        #expect(order.evict() == nil)
        #expect(order.cost == 0)
    }

    @Test func aKeyThatReturnsSoonEntersTheMainQueue() {
        var order = S3FIFO<Int>()
        for key in 0..<10 { order.insert(key, cost: 1) }
        #expect(order.evict() == 0)
        order.insert(0, cost: 1)
        for key in 100..<200 {
            #expect(order.evict() != 0)
            order.insert(key, cost: 1)
        }
    }

    @Test func aKeyThatReturnsLateEntersTheSmallQueue() {
        var order = S3FIFO<Int>()
        for key in 0..<20 {
            order.insert(key, cost: 1)
            if key >= 10 { #expect(order.evict() == key - 10) }
        }
        // The ghost queue remembers the last nine.
        order.insert(0, cost: 1)
        order.insert(20, cost: 1)
        #expect((0..<12).map { _ in order.evict() } == Array(10..<20) + [0, 20])
    }

    @Test func theMainQueueKeepsAKeyForEachUse() {
        var order = S3FIFO<Int>()
        // All of them return after their eviction.
        for key in [0, 1, 2] {
            order.insert(key, cost: 1)
            #expect(order.evict() == key)
            order.insert(key, cost: 1)
        }
        order.use(0)
        order.use(0)
        order.use(1)
        #expect((0..<3).map { _ in order.evict() } == [2, 1, 0])
    }

    @Test func aRemovedKeyIsNotEvicted() {
        var order = S3FIFO<Int>()
        for key in 0..<4 { order.insert(key, cost: 5) }
        for key in [0, 2] { order.remove(key) }
        order.remove(7)
        #expect(order.cost == 10)
        #expect((0..<3).map { _ in order.evict() } == [1, 3, nil])
    }

    @Test func randomProgramsEvictEachKeyOnceAndKeepTheCost() {
        for seed in 0..<50 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var order = S3FIFO<Int>()
            var costs: [Int: Int] = [:]
            for _ in 0..<500 {
                let key = Int.random(in: 0..<40, using: &random)
                switch (Int.random(in: 0..<8, using: &random), costs[key]) {
                case (0...2, nil):
                    costs[key] = Int.random(in: 0..<100, using: &random)
                    order.insert(key, cost: costs[key] ?? 0)
                case (3...5, _?): order.use(key)
                case (6, _):
                    order.remove(key)
                    costs[key] = nil
                default:
                    let evicted = order.evict()
                    #expect((evicted == nil) == costs.isEmpty, "program \(seed)")
                    if let evicted { #expect(costs.removeValue(forKey: evicted) != nil, "program \(seed)") }
                }
                #expect(order.cost == costs.values.reduce(0, +), "program \(seed)")
            }
        }
    }
}
