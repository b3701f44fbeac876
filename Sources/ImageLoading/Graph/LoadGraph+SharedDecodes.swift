internal import ImageCore

/// Several sizes of one image that wait for the same bytes: one decode to the largest size serves them.
extension LoadGraph {
    /// Decodes that can be made from a larger one's result wait for that instead of the bytes.
    mutating func shareDecodes(of original: NodeID) {
        // A scaled image is not scaled a second time.
        guard nodes[original].scale == nil, nodes[original].dependents.count > 1 else { return }
        let decodes = nodes[original].dependents.sorted().filter { nodes[$0].isWaitingForUpstream }
        let largest = largestDecodes(among: decodes)
        for id in decodes {
            guard let scale = nodes[id].scale, let larger = largest[scale.family], larger != id,
                let largerScale = nodes[larger].scale, scale.canBeMade(from: largerScale)
            else { continue }
            move(id, to: larger)
        }
    }

    /// The decode with the largest box of each family.
    private func largestDecodes(among decodes: [NodeID]) -> [String: NodeID] {
        var largest: [String: NodeID] = [:]
        for id in decodes {
            guard let scale = nodes[id].scale else { continue }
            if let other = largest[scale.family].flatMap({ nodes[$0].scale }),
                other.box.pixelCount ?? .max >= scale.box.pixelCount ?? .max
            {
                continue
            }
            largest[scale.family] = id
        }
        return largest
    }

    /// Makes a node depend on another one than before.
    private mutating func move(_ id: NodeID, to upstream: NodeID) {
        endPreviews(of: id)
        let newest = nodes[id].newest
        detach(id)
        attach(id, to: upstream)
        forEachUpstream(from: upstream) { $0.newest = max($0.newest, newest) }
        rankChanged(id)
    }
}
