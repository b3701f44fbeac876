internal import ImageCore

/// Images that are not whole yet, on their way to the loads that want previews.
///
/// A decode that waits for its bytes gets them while they arrive. A preview goes to the loads of its node and through
/// the processors of its dependents, but is not the node's result: the nodes continue to wait.
extension LoadGraph {
    /// Bytes have come for a running node; the decodes that wait for it may make previews from them.
    mutating func appendPartialData(toDependentsOf id: NodeID) {
        for dependent in nodes[id].dependents.sorted() {
            guard let policy = nodes[dependent].listeners.previewPolicy, !nodes[dependent].previewEvicted,
                case .waitingForUpstream = nodes[dependent].state
            else { continue }
            nodes[dependent].receivesPartialData = true
            actions.append(.appendPartialData(dependent, nodes[dependent].work, policy))
        }
    }

    /// A preview of the node's result was made. One that comes too late has no effect.
    mutating func preview(_ id: NodeID, _ value: Value, _ token: CancellationToken) {
        guard nodes.contains(id), nodes[id].listeners.previewPolicy != nil else { return }
        switch nodes[id].state {
        case .stopping, .done: return
        case .waitingForUpstream, .queued, .running: break
        }
        nodes[id].preview = value
        for ticket in nodes[id].loads.sorted() {
            guard let load = loads[ticket], load.options.previews != .none else { continue }
            actions.append(.preview(load.subscriber, value))
        }
        for dependent in nodes[id].dependents.sorted() where nodes[dependent].listeners.previewPolicy != nil {
            actions.append(.processPreview(dependent, nodes[dependent].work, value, token))
        }
    }

    /// The node ends, or its own step begins: no more previews of it are made.
    mutating func endPreviews(of id: NodeID) {
        nodes[id].preview = nil
        releasePreviewMemory(of: id)
        guard nodes[id].receivesPartialData else { return }
        nodes[id].receivesPartialData = false
        actions.append(.endPartialData(nodes[id].work))
    }

    // MARK: Memory

    /// A decoder of previews has learnt how much memory it will take, in bytes.
    ///
    /// - Returns: whether it may continue. It may not where the memory is not free at once: a preview does not wait.
    mutating func claimForPreviews(_ id: NodeID, bytes: Int) -> Bool {
        guard nodes.contains(id), nodes[id].receivesPartialData, nodes[id].previewCost == 0, queues[.worker].queued == 0,
            case .waitingForUpstream = nodes[id].state, queues[.worker].claim(max(1, bytes))
        else { return false }
        nodes[id].previewCost = max(1, bytes)
        previewing.append(id)
        return true
    }

    /// Ends previews, the youngest first, until a decode has the memory that it needs.
    mutating func makeRoom(for cost: Int) {
        while !queues[.worker].fits(cost), let id = previewing.last {
            nodes[id].previewEvicted = true
            endPreviews(of: id)
        }
    }

    mutating func releasePreviewMemory(of id: NodeID) {
        guard nodes[id].previewCost > 0 else { return }
        queues[.worker].giveBack(nodes[id].previewCost)
        nodes[id].previewCost = 0
        previewing.removeAll { $0 == id }
        hasRoomAgain = true
    }

    /// The node lost its last subscriber. A later load may show its last preview.
    mutating func keepPreview(of id: NodeID) {
        if let preview = nodes[id].preview, nodes[id].storeTargets.contains(.memory) {
            actions.append(.keepPreview(nodes[id].key, preview))
        }
        endPreviews(of: id)
    }
}
