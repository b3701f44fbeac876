internal import ImageCore

/// Pictures that are not whole yet, on their way to who wants to see them.
///
/// A decode that waits for its bytes is fed while they arrive. What it shows goes to the loads of its node and through
/// the processors of its dependents, but is nobody's result: the nodes wait on.
extension LoadGraph {
    /// Bytes have come for a running node; decodes below it may show something of them.
    mutating func feed(dependentsOf id: NodeID) {
        var next = nodes[id].firstDependent
        while let dependent = next {
            next = nodes[dependent].next
            guard let policy = nodes[dependent].listeners.previewPolicy, !nodes[dependent].hasGivenWay,
                case .waitingForUpstream = nodes[dependent].state
            else { continue }
            nodes[dependent].isFed = true
            actions.append(.feed(dependent, nodes[dependent].work, policy))
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
        var load = nodes[id].firstLoad
        while let ticket = load {
            load = loads[ticket].next
            if loads[ticket].terms.previews != .none { actions.append(.preview(loads[ticket].subscriber, value)) }
        }
        var next = nodes[id].firstDependent
        while let dependent = next {
            next = nodes[dependent].next
            if nodes[dependent].listeners.previewPolicy != nil {
                actions.append(.processPreview(dependent, nodes[dependent].work, value, token))
            }
        }
    }

    /// The node goes, or its own step begins: nothing more is shown ahead of it.
    mutating func endPreviews(of id: NodeID) {
        nodes[id].preview = nil
        releasePreviewMemory(of: id)
        guard nodes[id].isFed else { return }
        nodes[id].isFed = false
        actions.append(.endFeed(nodes[id].work))
    }

    // MARK: Memory

    /// A decoder of previews has learnt how much memory it will take, in bytes.
    ///
    /// - Returns: whether it may go on. It may not where the memory would have to be waited for: a preview is worth no wait.
    mutating func claimForPreviews(_ id: NodeID, bytes: Int) -> Bool {
        guard nodes.contains(id), nodes[id].isFed, nodes[id].previewCost == 0, lanes[Lane.worker.rawValue].queued == 0,
            case .waitingForUpstream = nodes[id].state, lanes[Lane.worker.rawValue].claim(max(1, bytes))
        else { return false }
        nodes[id].previewCost = max(1, bytes)
        previewing.append(id)
        return true
    }

    /// Pictures go before previews: those end that take the memory which a decode needs, the youngest first.
    mutating func makeRoom(for cost: Int) {
        while !lanes[Lane.worker.rawValue].fits(cost), let id = previewing.last {
            nodes[id].hasGivenWay = true
            endPreviews(of: id)
        }
    }

    mutating func releasePreviewMemory(of id: NodeID) {
        guard nodes[id].previewCost > 0 else { return }
        lanes[Lane.worker.rawValue].giveBack(nodes[id].previewCost)
        nodes[id].previewCost = 0
        previewing.removeAll { $0 == id }
        hasRoomAgain = true
    }

    /// Nobody waits for the node any more. What it has shown may be shown again, to a load that comes later.
    mutating func keepPreview(of id: NodeID) {
        if let preview = nodes[id].preview, nodes[id].storeTargets.contains(.memory) {
            actions.append(.keepPreview(nodes[id].key, preview))
        }
        endPreviews(of: id)
    }
}
