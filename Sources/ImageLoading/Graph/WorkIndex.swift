internal import ImageCore

/// Finds work by its key: a hash table whose chains run through the nodes themselves, so that an entry costs no memory of
/// its own and a key is hashed once in its node's life.
struct WorkIndex: Sendable {
    /// The first node of each chain; a power of two.
    private var chains = Self.noChains
    private(set) var count = 0
    /// For tests.
    var chainCount: Int { chains.count }

    private static var noChains: [NodeID?] { Array(repeating: nil, count: 16) }

    /// The work that has the key.
    func find<Work, Value>(_ key: WorkKey, hash: Int, in nodes: Slab<WorkNode<Work, Value>>) -> NodeID? {
        var next = chains[place(of: hash)]
        while let id = next {
            if nodes[id].hash == hash, nodes[id].key == key { return id }
            next = nodes[id].nextInIndex
        }
        return nil
    }

    /// Adds a node whose key is not there.
    mutating func insert<Work, Value>(_ id: NodeID, in nodes: Slab<WorkNode<Work, Value>>) {
        if count == chains.count { grow(nodes) }
        link(id, nodes)
        nodes[id].isIndexed = true
        count += 1
    }

    /// Takes a node out, if it is there.
    mutating func remove<Work, Value>(_ id: NodeID, in nodes: Slab<WorkNode<Work, Value>>) {
        guard nodes[id].isIndexed else { return }
        nodes[id].isIndexed = false
        count -= 1
        let place = place(of: nodes[id].hash)
        if let first = chains[place], first != id {
            var before = first
            while let next = nodes[before].nextInIndex, next != id { before = next }
            nodes[before].nextInIndex = nodes[id].nextInIndex
        } else {
            chains[place] = nodes[id].nextInIndex
        }
        // What a burst took does not stay taken.
        if count == 0, chains.count > 128 { chains = Self.noChains }
    }

    private func place(of hash: Int) -> Int { hash & (chains.count - 1) }

    private mutating func link<Work, Value>(_ id: NodeID, _ nodes: Slab<WorkNode<Work, Value>>) {
        let place = place(of: nodes[id].hash)
        nodes[id].nextInIndex = chains[place]
        chains[place] = id
    }

    private mutating func grow<Work, Value>(_ nodes: Slab<WorkNode<Work, Value>>) {
        let old = chains
        chains = Array(repeating: nil, count: old.count * 2)
        for first in old {
            var next = first
            while let id = next {
                next = nodes[id].nextInIndex
                link(id, nodes)
            }
        }
    }
}
