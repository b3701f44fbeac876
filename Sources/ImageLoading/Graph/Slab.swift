/// Names an element of a ``Slab``; never valid twice, so that an id that outlived its element finds nothing.
struct SlabID: Hashable, Sendable {
    fileprivate let index: UInt32
    fileprivate let generation: UInt32
}

/// Elements in one array, so that the graph's loads and nodes cost no object each. Ids hold the index and the slot's
/// generation.
struct Slab<Element: Sendable>: Sendable {
    private struct Slot: Sendable {
        var generation: UInt32 = 0
        var element: Element?
    }

    private var slots: [Slot] = []
    private var free: [UInt32] = []

    var count: Int { slots.count - free.count }

    mutating func insert(_ element: Element) -> SlabID {
        if let index = free.popLast() {
            slots[Int(index)].element = element
            return SlabID(index: index, generation: slots[Int(index)].generation)
        }
        slots.append(Slot(element: element))
        return SlabID(index: UInt32(slots.count - 1), generation: 0)
    }

    @discardableResult
    mutating func remove(_ id: SlabID) -> Element? {
        guard contains(id) else { return nil }
        let element = slots[Int(id.index)].element.take()
        slots[Int(id.index)].generation &+= 1
        free.append(id.index)
        return element
    }

    func contains(_ id: SlabID) -> Bool {
        slots[Int(id.index)].generation == id.generation && slots[Int(id.index)].element != nil
    }

    /// The element. Reading one that is gone is a programmer's error.
    subscript(id: SlabID) -> Element {
        _read {
            precondition(slots[Int(id.index)].generation == id.generation, "a slab's element was used after its end")
            yield slots[Int(id.index)].element!
        }
        _modify {
            precondition(slots[Int(id.index)].generation == id.generation, "a slab's element was used after its end")
            yield &slots[Int(id.index)].element!
        }
    }

    /// The ids of all elements.
    var ids: [SlabID] {
        slots.indices.compactMap { index in
            slots[index].element == nil ? nil : SlabID(index: UInt32(index), generation: slots[index].generation)
        }
    }
}
