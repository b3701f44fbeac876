import ImageCore
import Testing

@testable import ImageLoading

/// Whose turn it is among several hosts.
@Suite struct LanesOfHosts {
    private var nodes = Slab<Int>()

    private func rank(_ priority: LoadPriority, at time: UInt64) -> QueueRank {
        QueueRank(rankClass: RankClass(.plain, priority), oldest: time, newest: time)
    }

    @Test mutating func theBestOfAllHostsIsNext() {
        var lane = LaneQueue(limit: 1, limitPerGroup: 1)
        let waiting: [(String, LoadPriority)] = [("a", .low), ("b", .veryHigh), ("c", .normal), ("d", .high), ("e", .veryLow)]
        var hosts: [NodeID: String] = [:]
        for (time, (host, priority)) in waiting.enumerated() {
            let node = nodes.insert(time)
            hosts[node] = host
            lane.enqueue(node, group: host, rank: rank(priority, at: UInt64(time)))
        }
        var order: [String] = []
        while let node = lane.take(), let host = hosts[node] {
            order.append(host)
            lane.release(group: host)
        }
        #expect(order == ["b", "d", "c", "a", "e"])
    }

    @Test mutating func aHostThatHasItsShareWaitsWhileOthersGo() {
        var lane = LaneQueue(limit: 10, limitPerGroup: 2)
        let busy = (0..<3).map { nodes.insert($0) }
        let other = nodes.insert(3)
        for (time, node) in busy.enumerated() { lane.enqueue(node, group: "busy", rank: rank(.high, at: UInt64(time))) }
        lane.enqueue(other, group: "other", rank: rank(.low, at: 9))
        let taken = (0..<4).map { _ in lane.take() }
        #expect(taken == [busy[0], busy[1], other, nil])
        var mayStart = lane.startAtOnce(group: "busy")
        #expect(!mayStart)
        lane.release(group: "other")
        var next = lane.take()
        #expect(next == nil)
        lane.release(group: "busy")
        next = lane.take()
        #expect(next == busy[2])
        #expect(lane.queued == 0 && lane.running == 2)
        mayStart = lane.startAtOnce(group: "busy")
        #expect(!mayStart)
        mayStart = lane.startAtOnce(group: "other")
        #expect(mayStart)
    }

    /// What a burst took is given back when the graph asks for it, and nothing but that: what runs still counts, and an
    /// entry that is stale stays stale.
    @Test(arguments: [2, Int.max]) mutating func aBurstLeavesNoMemoryTakenAndTheLimitsAsTheyAre(perHost: Int) {
        var lane = LaneQueue(limit: 3, limitPerGroup: perHost)
        var begun = lane.startAtOnce(group: "busy")
        #expect(begun)
        for round in 0..<3 {
            var hosts: [NodeID: String] = [:]
            for time in 0..<300 {
                let (node, host) = (nodes.insert(time), time < 150 ? "busy" : "other")
                hosts[node] = host
                lane.enqueue(node, group: host, rank: rank(.normal, at: UInt64(time)))
            }
            #expect(lane.slotCount >= 300)
            if round == 1 {
                for (node, host) in hosts { lane.withdraw(node, group: host) }
            } else {
                var taken: Set<NodeID> = []
                while let node = lane.take(), let host = hosts[node] {
                    taken.insert(node)
                    lane.release(group: host)
                }
                #expect(taken == Set(hosts.keys))
            }
            #expect(lane.slotCount >= 300 && lane.queued == 0)
            lane.forgetBurst()
            #expect(lane.slotCount == 0)
            for node in hosts.keys { nodes.end(node) }
        }
        #expect(lane.running == 1)
        begun = lane.startAtOnce(group: "busy")
        #expect(begun)
        begun = lane.startAtOnce(group: "busy")
        #expect(begun == (perHost == .max))
    }
}
