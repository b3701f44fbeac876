/// Names an element of a ``Slab``; never valid twice, so that an id that outlived its element finds nothing.
struct SlabID: Hashable, Sendable {
    fileprivate let index: UInt32
    fileprivate let generation: UInt32

    /// Which slot it lives in: a small number that others have after it.
    var slot: Int { Int(index) }
}

/// Elements side by side in memory, so that the graph's loads and nodes cost no object each and are changed in place.
/// An id holds the index of a slot and the slot's generation, which is odd while an element lives there.
///
/// For one owner: a copy would share the elements.
struct Slab<Element: Sendable>: Sendable {
    private let slots = SlabStorage<Element>()
    private var free: [UInt32] = []

    var count: Int { slots.used - free.count }

    mutating func insert(_ element: Element) -> SlabID {
        let index = free.popLast() ?? UInt32(slots.add())
        unsafe slots.generations[Int(index)] &+= 1
        unsafe (slots.elements + Int(index)).initialize(to: element)
        return unsafe SlabID(index: index, generation: slots.generations[Int(index)])
    }

    @discardableResult
    mutating func remove(_ id: SlabID) -> Element? {
        guard contains(id) else { return nil }
        unsafe slots.generations[Int(id.index)] &+= 1
        free.append(id.index)
        return unsafe (slots.elements + Int(id.index)).move()
    }

    func contains(_ id: SlabID) -> Bool { unsafe slots.generations[Int(id.index)] == id.generation }

    /// The element, in place. Reading one that is gone is a programmer's error.
    subscript(id: SlabID) -> Element {
        _read {
            precondition(contains(id), "a slab's element was used after its end")
            yield unsafe slots.elements[Int(id.index)]
        }
        nonmutating _modify {
            precondition(contains(id), "a slab's element was used after its end")
            yield unsafe &slots.elements[Int(id.index)]
        }
    }

    /// The ids of all elements.
    var ids: [SlabID] {
        (0..<slots.used).compactMap { index in
            let generation = unsafe slots.generations[index]
            return generation.isMultiple(of: 2) ? nil : SlabID(index: UInt32(index), generation: generation)
        }
    }
}

/// The memory behind a slab. A slot's element is initialised exactly while its generation is odd.
// @unchecked because only the slab's owner touches it, under the owner's lock.
@safe private final class SlabStorage<Element>: @unchecked Sendable {
    private(set) var elements: UnsafeMutablePointer<Element>
    private(set) var generations: UnsafeMutablePointer<UInt32>
    private(set) var used = 0
    private var capacity = 16

    init() {
        unsafe elements = .allocate(capacity: 16)
        unsafe generations = .allocate(capacity: 16)
    }

    deinit {
        for index in 0..<used where unsafe !generations[index].isMultiple(of: 2) {
            unsafe (elements + index).deinitialize(count: 1)
        }
        unsafe elements.deallocate()
        unsafe generations.deallocate()
    }

    /// Makes one more slot and returns its index.
    func add() -> Int {
        if used == capacity { grow() }
        unsafe (generations + used).initialize(to: 0)
        used += 1
        return used - 1
    }

    private func grow() {
        let (moreElements, moreGenerations) = (
            UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2),
            UnsafeMutablePointer<UInt32>.allocate(capacity: capacity * 2)
        )
        for index in 0..<used where unsafe !generations[index].isMultiple(of: 2) {
            unsafe (moreElements + index).moveInitialize(from: elements + index, count: 1)
        }
        unsafe moreGenerations.moveInitialize(from: generations, count: used)
        unsafe elements.deallocate()
        unsafe generations.deallocate()
        unsafe elements = moreElements
        unsafe generations = moreGenerations
        capacity *= 2
    }
}
