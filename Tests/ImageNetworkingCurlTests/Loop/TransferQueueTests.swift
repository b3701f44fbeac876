import ImageCore
import ImageNetworking
import Testing

@testable import ImageNetworkingCurl

private func host(_ name: String) -> WebAddress.Origin { WebAddress.Origin(isSecure: true, host: name, port: 443) }

private func queue(perHost: Int, total: Int = 100, streams: Int = 10) -> TransferQueue<Int> {
    TransferQueue(TransferQueue.Limits(perHost: perHost, total: total, streamsPerHost: streams))
}

extension TransferQueue {
    /// All that may start now, in order.
    fileprivate mutating func startable() -> [ID] {
        var all: [ID] = []
        while let id = next() { all.append(id) }
        return all
    }
}

@Suite struct TransferQueueOrder {
    @Test func theHighestPriorityComesFirstAndTheOldestOfIt() {
        var queue = queue(perHost: 10)
        for (id, priority) in [LoadPriority.low, .high, .normal, .high, .veryLow, .veryHigh].enumerated() {
            queue.add(id, host: host("a"), priority: priority)
        }
        #expect(queue.startable() == [5, 1, 3, 2, 0, 4])
    }

    @Test func hostsTakeTurns() {
        var queue = queue(perHost: 10)
        for id in 0..<4 { queue.add(id, host: host("a"), priority: .normal) }
        for id in 10..<12 { queue.add(id, host: host("b"), priority: .normal) }
        #expect(queue.startable() == [0, 10, 1, 11, 2, 3])
    }

    @Test func aFullHostDoesNotHoldUpAnother() {
        var queue = queue(perHost: 1)
        for id in 0..<3 { queue.add(id, host: host("a"), priority: .high) }
        queue.add(10, host: host("b"), priority: .low)
        #expect(queue.startable() == [0, 10])
        queue.finished(host("a"))
        #expect(queue.startable() == [1])
        queue.finished(host("b"))
        #expect(queue.startable() == [])
        queue.finished(host("a"))
        #expect(queue.startable() == [2])
    }

    @Test func theTotalHoldsForAllHostsTogether() {
        var queue = queue(perHost: 2, total: 3)
        for id in 0..<3 { queue.add(id, host: host("a"), priority: .normal) }
        for id in 10..<13 { queue.add(id, host: host("b"), priority: .normal) }
        #expect(queue.startable() == [0, 10, 1])
        queue.finished(host("a"))
        #expect(queue.startable() == [11])
        // Room that another host leaves goes to whoever waits, also to one that has something running.
        queue.finished(host("b"))
        queue.finished(host("b"))
        #expect(queue.startable() == [2, 12])
    }

    @Test func aHostThatMultiplexesRunsMoreOverItsConnections() {
        var queue = queue(perHost: 2, total: 3, streams: 5)
        for id in 0..<8 { queue.add(id, host: host("a"), priority: .normal) }
        #expect(queue.startable() == [0, 1])
        queue.multiplexes(host("a"))
        #expect(queue.startable() == [2, 3, 4])
        // It still counts as two connections, so one is left.
        queue.add(10, host: host("b"), priority: .normal)
        queue.add(11, host: host("b"), priority: .normal)
        #expect(queue.startable() == [10])
    }
}

@Suite struct TransferQueueRemoval {
    @Test func aRemovedTransferNeverStarts() {
        var queue = queue(perHost: 10)
        for id in 0..<5 { queue.add(id, host: host("a"), priority: .normal) }
        queue.remove(0)
        queue.remove(3)
        #expect(queue.startable() == [1, 2, 4])
        #expect(queue.waitingCount == 0)
    }

    @Test func manyRemovedTransfersTakeNoMemory() {
        var queue = queue(perHost: 1)
        queue.add(-1, host: host("a"), priority: .normal)
        #expect(queue.startable() == [-1])
        for id in 0..<10_000 {
            queue.add(id, host: host("a"), priority: .normal)
            queue.remove(id)
        }
        #expect(queue.waitingCount < 100)
        queue.finished(host("a"))
        #expect(queue.startable() == [])
        #expect(queue.hostCount == 0)
    }

    @Test func hostsAreForgottenWhenNothingOfThemIsLeft() {
        var queue = queue(perHost: 2)
        for index in 0..<1000 {
            queue.add(index, host: host("\(index)"), priority: .normal)
            #expect(queue.startable() == [index])
            queue.finished(host("\(index)"))
        }
        #expect(queue.hostCount == 0)
    }

    /// A transfer may be cancelled before it comes here, or after it has left.
    @Test func whatDoesNotWaitIsNotRememberedAsRemoved() {
        final class Transfer {}
        struct Wrapped: Hashable {
            let transfer = Transfer()
            static func == (a: Self, b: Self) -> Bool { a.transfer === b.transfer }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(transfer)) }
        }
        var queue = TransferQueue<Wrapped>(TransferQueue.Limits(perHost: 2, total: 2, streamsPerHost: 2))
        func remove() -> () -> Transfer? {
            let stranger = Wrapped()
            queue.remove(stranger)
            return { [weak transfer = stranger.transfer] in transfer }
        }
        #expect(remove()() == nil)
        queue.add(Wrapped(), host: host("a"), priority: .normal)
        let late = remove()
        #expect(queue.next() != nil)
        #expect(late() == nil)
    }

    @Test func removeAllReturnsWhatWaitedAndNothingElse() {
        var queue = queue(perHost: 1)
        for id in 0..<4 { queue.add(id, host: host("a"), priority: .normal) }
        #expect(queue.next() == 0)
        queue.remove(2)
        #expect(Set(queue.removeAll()) == [1, 3])
        queue.finished(host("a"))
        #expect(queue.startable() == [])
    }
}
