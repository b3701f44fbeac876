/// Elements in an array, found by ids that outlive them without harm. A free slot is used again.
///
/// The graph keeps its nodes here and not in a dictionary: one load reads and changes fields of its nodes some hundred times,
/// and a dictionary moves a whole node out and in again for each change.
struct SlotMap<Element: Sendable>: Sendable {
    private struct Slot: Sendable {
        /// 0 while the slot is free.
        var number = 0
        var element: Element?
    }

    private var slots: [Slot] = []
    private var free: [Int] = []
    private var lastNumber = 0

    var count: Int { slots.count - free.count }

    mutating func insert(_ element: Element) -> NodeID {
        lastNumber += 1
        let slot = Slot(number: lastNumber, element: element)
        guard let index = free.popLast() else {
            slots.append(slot)
            return NodeID(slot: slots.count - 1, number: lastNumber)
        }
        slots[index] = slot
        return NodeID(slot: index, number: lastNumber)
    }

    /// Does nothing where the element is gone already.
    mutating func remove(_ id: NodeID) {
        guard contains(id) else { return }
        slots[id.slot] = Slot()
        free.append(id.slot)
        // Give back the memory of a burst, but keep a few slots for the next loads.
        if count == 0, slots.count > 128 { (slots, free) = ([], []) }
    }

    func contains(_ id: NodeID) -> Bool { id.slot < slots.count && slots[id.slot].number == id.number }

    /// The element, in place. It must exist.
    subscript(id: NodeID) -> Element {
        _read {
            precondition(contains(id), "an element was used after its removal")
            yield slots[id.slot].element!
        }
        _modify {
            precondition(contains(id), "an element was used after its removal")
            yield &slots[id.slot].element!
        }
    }

    /// The ids of all elements, in no particular order.
    var ids: [NodeID] {
        slots.indices.compactMap { slots[$0].number == 0 ? nil : NodeID(slot: $0, number: slots[$0].number) }
    }
}
