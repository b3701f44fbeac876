import ImageCore
import Testing

@testable import ImageLoading

/// What the graph promises as a value. What it decides is the subject of `Model`.
@Suite struct LoadGraphValue {
    typealias Graph = LoadGraph<Int, WorkKey, String>

    private static func chain(_ name: String) -> [WorkLink<WorkKey>] {
        let resource = ResourceKey(name)
        return [(WorkKey.Kind.image, ResourceClass.worker), (.original, .network)].map { kind, resourceClass in
            let key = WorkKey(kind: kind, image: ImageKey(resource: resource))
            return WorkLink(key: key, work: key, resource: resourceClass)
        }
    }

    private static func graph() -> Graph { Graph(fetches: 1, fetchesPerHost: 1, localReads: 1, workers: 1) }

    private let options = SubscriberOptions(rankClass: RankClass(.plain, .normal))

    /// The subscribers that a graph delivers to, with their values.
    private func deliveries(_ graph: inout Graph) -> [String] {
        graph.takeActions().compactMap { action in
            switch action {
            case .deliver(let load, .success(let value), _): "\(load): \(value)"
            case .deliver(let load, .failure, _): "\(load): failed"
            default: nil
            }
        }
    }

    /// The step that begins.
    private func step(_ graph: inout Graph) throws -> NodeID {
        let started = graph.takeActions().compactMap { action -> NodeID? in
            if case .run(let id, _, _, _, _, _, _) = action { id } else { nil }
        }
        return try #require(started.first)
    }

    @Test func aCopyGoesItsOwnWay() throws {
        var graph = Self.graph()
        let first = graph.join(1, chain: Self.chain("a"), options: options)
        _ = graph.join(2, chain: Self.chain("a"), options: options)
        _ = graph.join(3, chain: Self.chain("b"), options: options)
        let fetch = try step(&graph)
        let counts = graph.counts

        var copy = graph
        copy.leave(first)
        copy.finish(fetch, .success("bytes"))
        copy.finish(try step(&copy), .success("image"))
        #expect(deliveries(&copy) == ["2: image"])
        copy.cancelAll()
        #expect(deliveries(&copy) == ["3: failed"])
        #expect(copy.counts.loads == 0)

        // The original has seen nothing of that.
        #expect(graph.counts == counts && graph.counts == (3, 4, 1, 1))
        graph.finish(fetch, .failure(.cancelled))
        #expect(deliveries(&graph) == ["1: failed", "2: failed"])
        #expect(graph.counts.loads == 1)
    }

    @Test func loadsOfOneImageEndInTheOrderInWhichTheyBegan() throws {
        var graph = Self.graph()
        let tickets = (0..<40).map { graph.join($0, chain: Self.chain("a"), options: options) }
        for left in [0, 7, 39] { graph.leave(tickets[left]) }
        graph.finish(try step(&graph), .failure(.cancelled))
        #expect(deliveries(&graph) == (0..<40).filter { ![0, 7, 39].contains($0) }.map { "\($0): failed" })
    }

    /// Were each departure to search the others, this would take minutes.
    @Test(arguments: [false, true]) func thousandsOfLoadsOfOneImageLeaveInAnyOrder(isNewestFirst: Bool) {
        var graph = Self.graph()
        let tickets = (0..<20_000).map { graph.join($0, chain: Self.chain("a"), options: options) }
        _ = graph.takeActions()
        let clock = ContinuousClock()
        let time = clock.measure {
            for ticket in isNewestFirst ? tickets.reversed() : tickets { graph.leave(ticket) }
        }
        #expect(time < .seconds(5))
        #expect(graph.counts.loads == 0)
    }

    @Test func anIDIsNeverValidAgain() {
        var nodes = SlotMap<Int>()
        var gone: [NodeID] = []
        for count in [1000, 10, 1000] {
            let ids = (0..<count).map { nodes.insert($0) }
            #expect(ids.allSatisfy { nodes.contains($0) } && ids.map { nodes[$0] } == Array(0..<count))
            #expect(!gone.contains { nodes.contains($0) })
            for id in ids { nodes.remove(id) }
            for id in gone { nodes.remove(id) }
            gone += ids
        }
        #expect(nodes.count == 0 && nodes.ids.isEmpty)
    }
}
