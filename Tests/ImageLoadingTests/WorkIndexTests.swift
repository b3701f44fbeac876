import CalotypeTesting
import ImageCore
import Testing

@testable import ImageLoading

@Suite struct WorkIndexRules {
    private typealias Node = WorkNode<Int, Int>

    private func key(_ number: Int) -> WorkKey {
        WorkKey(
            kind: number.isMultiple(of: 2) ? .image : .original,
            image: ImageKey(resource: ResourceKey("r\(number / 4)"), variant: number % 4 < 2 ? "" : "small"))
    }

    private func node(_ key: WorkKey, hash: Int) -> Node {
        Node(key: key, hash: hash, work: 0, lane: .worker, group: "", scale: nil, oldest: 0)
    }

    @Test func everyKeyIsFoundUntilItIsTakenOutWhateverElseComesAndGoes() {
        var (nodes, index) = (Slab<Node>(), WorkIndex())
        var expected: [WorkKey: NodeID] = [:]
        var random = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            let key = key(Int.random(in: 0..<400, using: &random))
            let found = index.find(key, hash: key.hash, in: nodes)
            #expect(found == expected[key])
            if let found {
                index.remove(found, in: nodes)
                nodes.end(found)
                expected[key] = nil
            } else {
                let id = nodes.insert(node(key, hash: key.hash))
                index.insert(id, in: nodes)
                expected[key] = id
            }
        }
        #expect(index.count == expected.count)
    }

    @Test func aBurstLeavesNoMemoryTaken() {
        var (nodes, index) = (Slab<Node>(), WorkIndex())
        for _ in 0..<2 {
            let ids = (0..<1000).map { number in
                let id = nodes.insert(node(key(number), hash: number))
                index.insert(id, in: nodes)
                return id
            }
            #expect(index.chainCount >= 1000)
            for id in ids { index.remove(id, in: nodes) }
            #expect(index.chainCount == 16 && index.count == 0)
        }
    }

    @Test func keysWithOneHashAreToldApart() {
        var (nodes, index) = (Slab<Node>(), WorkIndex())
        let ids = (0..<3).map { number in
            let id = nodes.insert(node(key(number), hash: 5))
            index.insert(id, in: nodes)
            return id
        }
        index.remove(ids[1], in: nodes)
        let found = (0..<3).map { index.find(key($0), hash: 5, in: nodes) }
        #expect(found == [ids[0], nil, ids[2]])
    }

    @Test func takingOutWhatIsNotThereTakesOutNothing() {
        var (nodes, index) = (Slab<Node>(), WorkIndex())
        let first = nodes.insert(node(key(0), hash: 1))
        index.insert(first, in: nodes)
        index.remove(first, in: nodes)
        // The same key again, by another node; the first one goes a second time.
        let second = nodes.insert(node(key(0), hash: 1))
        index.insert(second, in: nodes)
        index.remove(first, in: nodes)
        let found = index.find(key(0), hash: 1, in: nodes)
        #expect(found == second)
    }
}
