import ImageCore
import Testing

@testable import ImageCaching

/// Uses that a test sets, of entries whose node number is their hash.
private struct Uses: EvictionCandidates {
    var counts: [Int32: UInt64] = [:]
    var stamps: [Int32: UInt64] = [:]
    var removed: [Int32] = []

    mutating func ask(_ node: Int32, hash: Int, _ question: EvictionQuestion) -> UInt64 {
        let found = counts[node] ?? 0
        switch question {
        case .takeUses: counts[node] = 0
        case .takeUse: counts[node] = found > 0 ? found - 1 : 0
        case .lastUse(let since): return max(stamps[node] ?? 0, since == .max ? 0 : since)
        case .remove: removed.append(node)
        }
        return found
    }
}

@Suite struct EvictionOrderTests {
    private func entry(_ node: Int32, cost: Int = 1) -> EvictionOrder.Entry {
        EvictionOrder.Entry(node: node, hash: Int(node) + 1_000, cost: cost, stamp: UInt64(node) + 1)
    }

    private func filled(_ policy: EvictionOrder.Policy, _ count: Int32) -> EvictionOrder {
        var order = EvictionOrder(policy)
        for node in 0..<count { order.insert(entry(node)) }
        return order
    }

    private func victims(_ order: inout EvictionOrder, _ uses: inout Uses, _ count: Int) -> [Int32] {
        (0..<count).compactMap { _ in order.evict(except: -1, asking: &uses) }
    }

    @Test func recencyTakesTheLeastRecentlyUsedHoweverLateItLearnsOfUses() {
        var (order, uses) = (filled(.recency, 6), Uses())
        uses.stamps = [0: 20, 1: 30, 3: 10]
        let gone = victims(&order, &uses, 7)
        #expect(gone == [2, 4, 5, 3, 0, 1])
        #expect(order.count == 0)
        #expect(order.cost == 0)
    }

    @Test func recencyFollowsAModelThroughRandomUses() {
        var (order, uses, random) = (EvictionOrder(.recency), Uses(), UInt64(1))
        var model: [Int32] = []
        var time: UInt64 = 0
        func next(_ bound: Int) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(random >> 33) % bound
        }
        for step in 0..<20_000 {
            time += 1
            let node = Int32(next(60))
            if let place = model.firstIndex(of: node) {
                model.remove(at: place)
                if next(20) == 0 {
                    order.remove(node)
                    continue
                }
                uses.stamps[node] = time
            } else {
                uses.stamps[node] = time
                order.insert(EvictionOrder.Entry(node: node, hash: Int(node), cost: Int(node), stamp: time))
            }
            model.append(node)
            while model.count > 40 {
                let victim = order.evict(except: node, asking: &uses)
                let oldest = model.removeFirst()
                #expect(victim == oldest, "step \(step)")
            }
            #expect(order.count == model.count)
            #expect(order.cost == model.reduce(0) { $0 + Int($1) })
        }
    }

    @Test func theExcludedEntryStaysEvenWhereAllOthersWereUsedLater() {
        var (order, uses) = (filled(.recency, 4), Uses())
        uses.stamps = [0: 100, 1: 101, 2: 102]
        let gone = (0..<4).map { _ in order.evict(except: 3, asking: &uses) }
        #expect(gone == [0, 1, 2, nil])
    }

    @Test func oneUseGivesAnotherRoundInTheSmallQueueAndTwoThePlaceInTheMainOne() {
        // Without uses the oldest goes first; the small queue is above its share throughout.
        var (order, uses) = (filled(.frequency, 20), Uses())
        uses.counts = [0: 1, 1: 2]
        // 0 stays in the small queue, behind 19, and leaves it in its turn. 1 is in the main queue, which nothing leaves
        // while the small one has more than its share.
        let gone = victims(&order, &uses, 20)
        #expect(gone == Array(2..<20) + [0, 1])
    }

    @Test func aKeyThatComesBackSoonGoesToTheMainQueue() {
        var (order, uses) = (filled(.frequency, 20), Uses())
        let first = victims(&order, &uses, 1)
        order.insert(entry(0))
        let others = victims(&order, &uses, 20)
        #expect(first + others == [0] + Array(1..<20) + [0])
    }

    @Test func aChangeOfPolicyKeepsTheOrderOfUse() {
        var (order, uses) = (filled(.recency, 10), Uses())
        for node in 0..<Int32(10) { uses.stamps[node] = UInt64(100 - node) }
        order.follow(.frequency, asking: &uses)
        #expect(order.count == 10)
        #expect(order.cost == 10)
        order.follow(.recency, asking: &uses)
        let gone = victims(&order, &uses, 10)
        #expect(gone == Array((0..<10).reversed()))
    }

    @Test func favouritesAmongManyMakeItLeaveRecencyAndScrollingBringsItBack() {
        var duel = PolicyDuel()
        #expect(!duel.isSampled(1 << 62))
        let changes = [duel.adapt(to: 200), duel.adapt(to: 210)]
        #expect(changes == [true, false])
        #expect(duel.isSampled(1 << 62))
        // Twenty favourites, each used between long runs of keys that never return.
        for step in 0..<40_000 { duel.access(step % 8 == 0 ? step / 8 % 20 : 1_000 + step) }
        #expect(duel.choice == .frequency)
        // Any of a hundred in a window that moves on.
        var random: UInt64 = 1
        for step in 0..<100_000 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            duel.access(1_000_000 + step / 10 + Int(random >> 33) % 100)
        }
        #expect(duel.choice == .recency)
    }
}
