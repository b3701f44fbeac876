import ImageCore
import Testing

/// FEATURES 1.10: what began before the caches were cleared is not stored afterwards.
@Suite(.timeLimit(.minutes(1))) struct StoreGates {
    @Test func workFromBeforeAClearStoresNothing() async {
        let gate = StoreGate()
        let before = gate.epoch
        gate.close()
        #expect(!gate.begin(before))
        await gate.store(before) { Issue.record("Work from before stored its result.") }
        let after = gate.epoch
        #expect(gate.begin(after))
        gate.end(after)
    }

    @Test func aClearWaitsForTheStoresThatBeganBeforeIt() async {
        let gate = StoreGate()
        let before = gate.epoch
        let order = Lock<[String]>([])
        #expect(gate.begin(before) && gate.begin(before))
        gate.close()
        let after = gate.epoch
        #expect(gate.begin(after))
        let clear = Task {
            await gate.earlierStoresEnded()
            order.withLock { $0.append("cleared") }
        }
        for _ in 0..<20 { await Task.yield() }
        order.withLock { $0.append("ended") }
        gate.end(before)
        gate.end(before)
        // A store of later work does not keep it.
        await clear.value
        #expect(order.withLock { $0 } == ["ended", "cleared"])
        gate.end(after)
        await gate.allStoresEnded()
    }

    @Test func aFlushWaitsForEveryStore() async {
        let gate = StoreGate()
        let before = gate.epoch
        let order = Lock<[String]>([])
        #expect(gate.begin(before))
        gate.close()
        let after = gate.epoch
        #expect(gate.begin(after))
        let flush = Task {
            await gate.allStoresEnded()
            order.withLock { $0.append("flushed") }
        }
        for _ in 0..<20 { await Task.yield() }
        gate.end(before)
        for _ in 0..<20 { await Task.yield() }
        order.withLock { $0.append("ended") }
        gate.end(after)
        await flush.value
        #expect(order.withLock { $0 } == ["ended", "flushed"])
    }
}
