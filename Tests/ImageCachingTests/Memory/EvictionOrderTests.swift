import ImageCore
import Testing

@testable import ImageCaching

@Suite struct EvictionOrderTests {
    /// Entries 0 up to `count`, inserted at the times 1, 2 and so on.
    private func filled(_ policy: EvictionOrder.Policy, _ count: Int) -> EvictionOrder {
        var order = EvictionOrder(policy)
        for id in 0..<count { order.insert(id, hash: id + 1_000, cost: 1, at: Int64(id + 1)) }
        return order
    }

    private func later(_ lastUses: [Int: Int64]) -> (_ id: Int, _ known: Int64) -> Int64? {
        { id, known in lastUses[id].flatMap { $0 > known ? $0 : nil } }
    }

    private func victims(_ count: Int, of order: inout EvictionOrder, lastUses: [Int: Int64] = [:]) -> [Int] {
        (0..<count).compactMap { _ in order.evict(laterUse: later(lastUses)) }
    }

    @Test func lruEvictsTheLeastRecentlyUsedEvenIfUsesAreReportedLate() {
        var order = filled(.lru, 6)
        let gone = victims(7, of: &order, lastUses: [0: 20, 1: 30, 3: 10])
        #expect(gone == [2, 4, 5, 3, 0, 1])
        #expect(order.count == 0)
        #expect(order.cost == 0)
    }

    @Test func lruAgreesWithAModelForRandomUses() {
        var (order, lastUses, random) = (EvictionOrder(.lru), [Int: Int64](), UInt64(1))
        var model: [Int] = []
        func next(_ bound: Int) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(random >> 33) % bound
        }
        for step in 0..<20_000 {
            let id = next(60)
            lastUses[id] = Int64(step)
            if let place = model.firstIndex(of: id) {
                model.remove(at: place)
                if next(20) == 0 {
                    order.remove(id)
                    continue
                }
            } else {
                if model.count == 40 {
                    let victim = order.evict(laterUse: later(lastUses))
                    let oldest = model.removeFirst()
                    #expect(victim == oldest, "step \(step)")
                }
                order.insert(id, hash: id, cost: id, at: Int64(step))
            }
            model.append(id)
            #expect(order.count == model.count)
            #expect(order.cost == model.reduce(0, +))
        }
    }

    @Test func aRemovedEntryIsNotEvictedAndItsNumberCanBeReused() {
        for policy in [EvictionOrder.Policy.lru, .twoQueues] {
            var order = filled(policy, 4)
            // Entry 0 is known to have been used; the removed entries are one of each part.
            let first = victims(1, of: &order, lastUses: [0: 10])
            order.remove(0)
            order.remove(2)
            order.insert(0, hash: 2_000, cost: 5, at: 20)
            #expect(order.cost == 6)
            let others = victims(3, of: &order)
            #expect(first == [1])
            #expect(others == [3, 0])
        }
    }

    @Test func entriesUsedOnProbationOutliveTheOthers() {
        // Without uses the oldest entries are evicted first; the probation queue is above its share throughout.
        var order = filled(.twoQueues, 20)
        let gone = victims(20, of: &order, lastUses: [0: 30, 1: 40])
        #expect(gone == Array(2..<20) + [0, 1])
    }

    @Test func aKeyThatReturnsSoonIsNotOnProbation() {
        var order = filled(.twoQueues, 20)
        let first = victims(1, of: &order)
        order.insert(0, hash: 1_000, cost: 1, at: 21)
        order.insert(20, hash: 3_000, cost: 1, at: 22)
        let others = victims(21, of: &order)
        #expect(first + others == Array(0..<21) + [0])
    }

    @Test func aKeyThatReturnsLateIsOnProbation() {
        var order = filled(.twoQueues, 20)
        for id in 0..<20 {
            let gone = victims(1, of: &order)
            #expect(gone == [id])
            order.insert(id, hash: id + 2_000, cost: 1, at: Int64(id + 30))
        }
        // The ghost queue holds 18 keys.
        let room = victims(1, of: &order)
        order.insert(0, hash: 1_000, cost: 1, at: 60)
        order.insert(20, hash: 3_000, cost: 1, at: 61)
        let others = victims(21, of: &order)
        #expect(room + others == Array(0..<20) + [0, 20])
    }

    @Test func aChangeOfPolicyKeepsTheEntries() {
        var order = filled(.lru, 20)
        let lastUses: [Int: Int64] = [0: 30, 1: 40]
        let first = victims(1, of: &order, lastUses: lastUses)
        order.policy = .twoQueues
        let second = victims(1, of: &order, lastUses: lastUses)
        order.policy = .lru
        let others = victims(18, of: &order, lastUses: lastUses)
        #expect(first + second + others == Array(2..<20) + [0, 1])
    }

    /// The small caches have about the usual capacity, whatever the number of entries.
    @Test(arguments: [(64, 2), (128, 2), (512, 8), (1_000, 8), (5_000, 64), (100_000, 1_024)])
    func theShareOfSampledKeysFallsWithTheNumberOfEntries(entries: Int, share: Int) {
        var adaptive = AdaptivePolicy()
        let isNew = adaptive.resize(to: entries)
        #expect(isNew)
        let hashes = (0..<4_096).map { Int(bitPattern: UInt($0) << 40) }
        #expect(hashes.count { AdaptivePolicy.isSampled($0, mask: adaptive.sampleMask) } == 4_096 / share)
    }

    @Test func popularKeysSelectTwoQueuesAndScrollingSelectsLRU() {
        var adaptive = AdaptivePolicy()
        #expect(!AdaptivePolicy.isSampled(1 << 62, mask: adaptive.sampleMask))
        let changes = [adaptive.resize(to: 200), adaptive.resize(to: 210)]
        #expect(changes == [true, false])
        #expect(AdaptivePolicy.isSampled(1 << 62, mask: adaptive.sampleMask))
        // Twenty popular keys, each used between long runs of keys that never return.
        for step in 0..<40_000 { adaptive.recordAccess(step % 8 == 0 ? step / 8 % 20 : 1_000 + step) }
        #expect(adaptive.choice == .twoQueues)
        // Any of a hundred keys in a moving window.
        var random: UInt64 = 1
        for step in 0..<100_000 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            adaptive.recordAccess(1_000_000 + step / 10 + Int(random >> 33) % 100)
        }
        #expect(adaptive.choice == .lru)
    }
}
