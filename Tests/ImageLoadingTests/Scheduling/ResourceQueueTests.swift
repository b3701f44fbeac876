import CalotypeTesting
import ImageCore
import Testing

@testable import ImageLoading

/// Whose turn it is among several hosts.
@Suite struct QueuesOfHosts {

    private func rank(_ priority: LoadPriority, at time: UInt64) -> QueueRank {
        QueueRank(rankClass: RankClass(.plain, priority), oldest: time, newest: time)
    }

    @Test func theBestOfAllHostsIsNext() {
        var queue = ResourceQueue(limit: 1, limitPerGroup: 1)
        let waiting: [(String, LoadPriority)] = [("a", .low), ("b", .veryHigh), ("c", .normal), ("d", .high), ("e", .veryLow)]
        var hosts: [JobID: String] = [:]
        for (time, (host, priority)) in waiting.enumerated() {
            let node = JobID(rawValue: UInt64(time))
            hosts[node] = host
            queue.enqueue(node, group: host, rank: rank(priority, at: UInt64(time)))
        }
        var order: [String] = []
        while let node = queue.take(), let host = hosts[node] {
            order.append(host)
            queue.release(group: host)
        }
        #expect(order == ["b", "d", "c", "a", "e"])
    }

    @Test func aHostThatHasItsShareWaitsWhileOthersGo() {
        var queue = ResourceQueue(limit: 10, limitPerGroup: 2)
        let busy = (0..<3).map { JobID(rawValue: $0) }
        let other = JobID(rawValue: 3)
        for (time, node) in busy.enumerated() { queue.enqueue(node, group: "busy", rank: rank(.high, at: UInt64(time))) }
        queue.enqueue(other, group: "other", rank: rank(.low, at: 9))
        let taken = (0..<4).map { _ in queue.take() }
        #expect(taken == [busy[0], busy[1], other, nil])
        var mayStart = queue.startAtOnce(group: "busy", rank: rank(.normal, at: 0))
        #expect(!mayStart)
        queue.release(group: "other")
        var next = queue.take()
        #expect(next == nil)
        queue.release(group: "busy")
        next = queue.take()
        #expect(next == busy[2])
        #expect(queue.queued == 0 && queue.running == 2)
        mayStart = queue.startAtOnce(group: "busy", rank: rank(.normal, at: 0))
        #expect(!mayStart)
        mayStart = queue.startAtOnce(group: "other", rank: rank(.normal, at: 0))
        #expect(mayStart)
    }

    @Test func workThatIsSetAsideStillWaits() {
        func queue(_ works: ClosedRange<UInt64>, setsAside: Bool) -> ResourceQueue {
            var queue = ResourceQueue(limit: 10, limitPerGroup: 1)
            for work in works { queue.enqueue(JobID(rawValue: work), group: "busy", rank: rank(.normal, at: work)) }
            _ = queue.take()
            if setsAside {
                let next = queue.take()
                #expect(next == nil)
            }
            return queue
        }
        #expect(queue(1...2, setsAside: true) == queue(1...2, setsAside: false))
        #expect(queue(1...2, setsAside: true) != queue(1...1, setsAside: true))
    }

    /// Work whose rank changes again and again, at the front and set aside.
    @Test(arguments: [1, Int.max]) func changedRanksLeaveFewEntries(perHost: Int) {
        var queue = ResourceQueue(limit: 10, limitPerGroup: perHost)
        for work in 1...3 as ClosedRange<UInt64> {
            for time in 1...1_000 as ClosedRange<UInt64> {
                queue.enqueue(JobID(rawValue: work), group: "busy", rank: rank(.normal, at: time))
                #expect(queue.heldCount <= 2 * queue.queued + 32)
            }
            if work < 3 { _ = queue.take() }
        }
        #expect(queue.queued == (perHost == 1 ? 2 : 1))
    }

    /// A queue that becomes empty after a burst gives memory back. What runs still counts, and a stale entry stays
    /// stale.
    @Test(arguments: [2, Int.max]) mutating func aBurstLeavesTheLimitsAsTheyAre(perHost: Int) {
        var queue = ResourceQueue(limit: 3, limitPerGroup: perHost)
        var begun = queue.startAtOnce(group: "busy", rank: rank(.normal, at: 0))
        #expect(begun)
        for round in 0..<3 {
            var hosts: [JobID: String] = [:]
            for time in 0..<300 {
                let (node, host) = (JobID(rawValue: UInt64(time)), time < 150 ? "busy" : "other")
                hosts[node] = host
                queue.enqueue(node, group: host, rank: rank(.normal, at: UInt64(time)))
            }
            if round == 1 {
                for (node, host) in hosts { queue.withdraw(node, group: host) }
            } else {
                var taken: Set<JobID> = []
                while let node = queue.take(), let host = hosts[node] {
                    taken.insert(node)
                    queue.release(group: host)
                }
                #expect(taken == Set(hosts.keys))
            }
            #expect(queue.queued == 0 && queue.tickets.capacity < 256)
        }
        #expect(queue.running == 1)
        begun = queue.startAtOnce(group: "busy", rank: rank(.normal, at: 0))
        #expect(begun)
        begun = queue.startAtOnce(group: "busy", rank: rank(.normal, at: 0))
        #expect(begun == (perHost == .max))
    }
    /// Beside a list of all that waits, searched from one end to the other.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) mutating func whoeverChangesAndGoesTheBestOfThoseThatMayIsNext(seed: UInt64) {
        struct Waiting {
            let node: JobID
            let host: String
            var rank: QueueRank
        }
        var random = SeededGenerator(seed: seed)
        var queue = ResourceQueue(limit: 6, limitPerGroup: 2)
        var waiting: [Waiting] = []
        var running: [String] = []
        for time in 0..<4000 {
            let rank = rank(LoadPriority.allCases.randomElement(using: &random) ?? .normal, at: UInt64(time))
            switch Int.random(in: 0..<9, using: &random) {
            case 0...2:
                let new = Waiting(
                    node: JobID(rawValue: UInt64(time)), host: "\(Int.random(in: 0..<12, using: &random))", rank: rank)
                queue.enqueue(new.node, group: new.host, rank: rank)
                waiting.append(new)
            case 3:
                guard let index = waiting.indices.randomElement(using: &random) else { continue }
                waiting[index].rank = rank
                queue.enqueue(waiting[index].node, group: waiting[index].host, rank: rank)
            case 4:
                guard let index = waiting.indices.randomElement(using: &random) else { continue }
                queue.withdraw(waiting[index].node, group: waiting[index].host)
                waiting.remove(at: index)
            case 5, 6:
                guard let index = running.indices.randomElement(using: &random) else { continue }
                queue.release(group: running.remove(at: index))
            default:
                let best = waiting.indices.filter { index in running.count { $0 == waiting[index].host } < 2 }
                    .max { waiting[$0].rank < waiting[$1].rank }
                let next = queue.take()
                #expect(next == (running.count < 6 ? best.map { waiting[$0].node } : nil))
                guard next != nil, let best else { continue }
                running.append(waiting.remove(at: best).host)
            }
        }
        #expect(queue.queued == waiting.count && queue.running == running.count)
    }

    /// Were all hosts looked at for each that is next, it would take minutes.
    @Test func thousandsOfHostsCostNoMoreThanOne() {
        var queue = ResourceQueue(limit: 32, limitPerGroup: 6)
        let hosts = (0..<20_000).map { "host\($0)" }
        let clock = ContinuousClock()
        let began = clock.now
        for (time, host) in hosts.enumerated() {
            queue.enqueue(JobID(rawValue: UInt64(time)), group: host, rank: rank(.normal, at: UInt64(time)))
        }
        var taken = 0
        while queue.take() != nil {
            queue.release(group: hosts[taken])
            taken += 1
        }
        #expect(taken == hosts.count && clock.now - began < .seconds(5))
    }
}
