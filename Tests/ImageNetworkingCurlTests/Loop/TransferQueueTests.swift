import CalotypeTesting
import ImageCore
import ImageNetworking
import Testing
import Timing

@testable import ImageNetworkingCurl

private func host(_ name: String) -> WebAddress.Origin { WebAddress.Origin(isSecure: true, host: name, port: 443) }

private func queue(perHost: Int, total: Int = 100, streams: Int = 10) -> TransferQueue<Int> {
    var limits = CurlLoader.Limits()
    (limits.connectionsPerHost, limits.connections, limits.streamsPerHost) = (perHost, total, streams)
    return TransferQueue(limits)
}

extension TransferQueue {
    /// The transfers that may start now, in order.
    fileprivate mutating func startable() -> [Transfer] {
        var all: [Transfer] = []
        while let id = next() { all.append(id) }
        return all
    }
}

@Suite struct TransferQueueOrder {
    @Test func theOldestTransferOfAHostStartsFirst() {
        var queue = queue(perHost: 2)
        for id in [3, 1, 2] { queue.add(id, host: host("a")) }
        #expect(queue.startable() == [3, 1])
        queue.finished(host("a"))
        #expect(queue.startable() == [2])
    }

    @Test func hostsTakeTurns() {
        var queue = queue(perHost: 10)
        for id in 0..<4 { queue.add(id, host: host("a")) }
        for id in 10..<12 { queue.add(id, host: host("b")) }
        #expect(queue.startable() == [0, 10, 1, 11, 2, 3])
    }

    @Test func aFullHostDoesNotHoldUpAnother() {
        var queue = queue(perHost: 1)
        for id in 0..<3 { queue.add(id, host: host("a")) }
        queue.add(10, host: host("b"))
        #expect(queue.startable() == [0, 10])
        queue.finished(host("a"))
        #expect(queue.startable() == [1])
        queue.finished(host("b"))
        #expect(queue.startable() == [])
        queue.finished(host("a"))
        #expect(queue.startable() == [2])
    }

    @Test func theTotalLimitAppliesToAllHosts() {
        var queue = queue(perHost: 2, total: 3)
        for id in 0..<3 { queue.add(id, host: host("a")) }
        for id in 10..<13 { queue.add(id, host: host("b")) }
        #expect(queue.startable() == [0, 10, 1])
        queue.finished(host("a"))
        #expect(queue.startable() == [11])
        // A connection that another host frees is given to any waiting transfer, also to one whose host has a running
        // transfer.
        queue.finished(host("b"))
        queue.finished(host("b"))
        #expect(queue.startable() == [2, 12])
    }

    @Test func aHostThatMultiplexesRunsMoreOverItsConnections() {
        var queue = queue(perHost: 2, total: 3, streams: 5)
        for id in 0..<8 { queue.add(id, host: host("a")) }
        #expect(queue.startable() == [0, 1])
        queue.multiplexes(host("a"))
        #expect(queue.startable() == [2, 3, 4])
        // It still counts as two connections, so one is left.
        queue.add(10, host: host("b"))
        queue.add(11, host: host("b"))
        #expect(queue.startable() == [10])
    }
}

@Suite struct TransferQueueRemoval {
    @Test func aRemovedTransferNeverStarts() {
        var queue = queue(perHost: 10)
        for id in 0..<5 { queue.add(id, host: host("a")) }
        #expect(queue.removeAll { $0 == 0 || $0 == 3 } == [0, 3])
        #expect(queue.startable() == [1, 2, 4])
        #expect(queue.isEmpty)
    }

    @Test func aHostWhoseWaitingTransfersAreRemovedIsForgottenWhenTheOthersEnd() {
        var queue = queue(perHost: 1)
        for id in 0..<3 { queue.add(id, host: host("a")) }
        #expect(queue.startable() == [0])
        #expect(queue.removeAll { _ in true } == [1, 2])
        #expect(queue.isEmpty && queue.hosts.count == 1)
        queue.finished(host("a"))
        #expect(queue.startable() == [])
        #expect(queue.hosts.count == 0)
        queue.add(3, host: host("b"))
        #expect(queue.removeAll { _ in true } == [3])
        #expect(queue.hosts.count == 0)
    }

    @Test func hostsWithoutTransfersAreForgotten() {
        var queue = queue(perHost: 2)
        for index in 0..<1000 {
            queue.add(index, host: host("\(index)"))
            #expect(queue.startable() == [index])
            queue.finished(host("\(index)"))
        }
        #expect(queue.hosts.count == 0)
    }

    @Test func theWaitingTransfersAreThoseThatNeitherStartedNorWereRemoved() {
        var queue = queue(perHost: 1)
        for id in 0..<6 { queue.add(id, host: host(id.isMultiple(of: 2) ? "a" : "b")) }
        #expect(queue.startable() == [0, 1])
        #expect(queue.removeAll { $0 == 3 } == [3])
        #expect(queue.waiting == [2, 4, 5])
        for name in ["a", "b"] { queue.finished(host(name)) }
        #expect(queue.startable() == [2, 5])
        #expect(queue.waiting == [4])
    }

    /// A list that scrolls fast cancels thousands of transfers, which must not block the loop's thread.
    @Test(arguments: [1, 100, 20_000])
    func twentyThousandWaitingTransfersAreRemovedAtOnce(hostCount: Int) {
        let hosts = (0..<hostCount).map { host("\($0)") }
        let (count, kept) = (20_000, 20_000..<20_003)
        var queue = queue(perHost: 1, total: hostCount)
        for id in 0..<count { queue.add(id, host: hosts[id % hostCount]) }
        for id in kept { queue.add(id, host: hosts[0]) }
        let time = ThreadTime.measure { #expect(queue.removeAll { $0 < count }.count == count) }
        #expect(time < .seconds(1))
        #expect(queue.waiting == Array(kept))
        #expect(queue.hosts.count == 1)
        #expect(queue.startable() == [kept.lowerBound])
    }
}
