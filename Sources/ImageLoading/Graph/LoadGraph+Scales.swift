internal import ImageCore

/// Several sizes of one picture that wait for its bytes together: one decode to the largest serves them.
extension LoadGraph {
    /// The decodes that can be made of another one's result wait for that instead.
    mutating func shareDecodes(of original: NodeID) {
        // What is made of a scaled picture is not made of it at second hand.
        guard nodes[original].scale == nil, nodes[original].firstDependent != nodes[original].lastDependent else { return }
        let largest = largestDecodes(of: original)
        var next = nodes[original].firstDependent
        while let id = next {
            next = nodes[id].next
            guard case .waitingForUpstream = nodes[id].state, let scale = nodes[id].scale else { continue }
            guard let larger = largest[scale.family], larger != id, let its = nodes[larger].scale, scale.canBeMade(of: its)
            else { continue }
            move(id, to: larger)
        }
    }

    /// Of each family that waits, the one with the largest box.
    private func largestDecodes(of original: NodeID) -> [String: NodeID] {
        var largest: [String: NodeID] = [:]
        var next = nodes[original].firstDependent
        while let id = next {
            next = nodes[id].next
            guard case .waitingForUpstream = nodes[id].state, let scale = nodes[id].scale else { continue }
            guard let other = largest[scale.family], let its = nodes[other].scale else {
                largest[scale.family] = id
                continue
            }
            if (its.box.pixelCount ?? .max) < (scale.box.pixelCount ?? .max) { largest[scale.family] = id }
        }
        return largest
    }

    /// Has a node depend on another one than before.
    private mutating func move(_ id: NodeID, to upstream: NodeID) {
        endPreviews(of: id)
        let newest = nodes[id].newest
        detach(id)
        attach(id, to: upstream)
        climb(from: upstream) { $0.newest = max($0.newest, newest) }
        rankChanged(id)
    }
}
