/// Elements side by side in an array, found by ids that are never valid twice.
///
/// The graph keeps its nodes here and not in a dictionary: a transition reads and changes single fields of its nodes, and
/// dictionaries and optionals move a whole node out and in again for that.
struct SlotMap<Element: Sendable>: Sendable {
    /// In no particular order: the last element takes the place of a removed one.
    private var elements: [Element] = []
    /// The ids of the elements, in the same order.
    private(set) var ids: [NodeID] = []
    /// The index of the element of each slot. Meaningless for a free slot.
    private var indices: [Int] = []
    private var freeSlots: [Int] = []
    private var lastNumber = 0

    var count: Int { elements.count }

    mutating func insert(_ element: consuming Element) -> NodeID {
        lastNumber += 1
        let slot = freeSlots.popLast() ?? indices.count
        if slot == indices.count { indices.append(0) }
        let id = NodeID(slot: slot, number: lastNumber)
        indices[slot] = elements.count
        elements.append(element)
        ids.append(id)
        return id
    }

    /// Does nothing where the element is gone already.
    mutating func remove(_ id: NodeID) {
        guard let index = index(of: id) else { return }
        indices[ids[ids.count - 1].slot] = index
        elements.swapAt(index, elements.count - 1)
        ids.swapAt(index, ids.count - 1)
        elements.removeLast()
        ids.removeLast()
        freeSlots.append(id.slot)
        // Give back the memory of a burst, but keep a few slots for the next loads.
        if elements.isEmpty, indices.count > 128 { (elements, ids, indices, freeSlots) = ([], [], [], []) }
    }

    func contains(_ id: NodeID) -> Bool { index(of: id) != nil }

    private func index(of id: NodeID) -> Int? {
        guard id.slot < indices.count else { return nil }
        let index = indices[id.slot]
        return index < ids.count && ids[index] == id ? index : nil
    }

    /// The element, in place. It must exist.
    subscript(id: NodeID) -> Element {
        _read { yield elements[existingIndex(of: id)] }
        _modify { yield &elements[existingIndex(of: id)] }
    }

    private func existingIndex(of id: NodeID) -> Int {
        guard let index = index(of: id) else { preconditionFailure("an element was used after its removal") }
        return index
    }
}
