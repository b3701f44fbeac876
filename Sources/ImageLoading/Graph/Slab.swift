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
    /// How many there is memory for: for tests.
    var slotCount: Int { slots.used }

    mutating func insert(_ element: consuming Element) -> SlabID {
        let index = free.popLast() ?? UInt32(slots.add())
        unsafe slots.generations[Int(index)] &+= 1
        unsafe slots.element(Int(index)).initialize(to: element)
        return unsafe SlabID(index: index, generation: slots.generations[Int(index)])
    }

    mutating func remove(_ id: SlabID) -> Element? {
        guard contains(id) else { return nil }
        let element = unsafe slots.element(Int(id.index)).move()
        release(id)
        return element
    }

    /// Ends an element where it lies, if it is there: to move a large one out costs more.
    mutating func end(_ id: SlabID) {
        guard contains(id) else { return }
        unsafe slots.element(Int(id.index)).deinitialize(count: 1)
        release(id)
    }

    private mutating func release(_ id: SlabID) {
        unsafe slots.generations[Int(id.index)] &+= 1
        free.append(id.index)
        // What a burst took does not stay taken; a few slots do, so that one load after the other finds its own.
        guard count == 0, slots.used > 128 else { return }
        free = []
        slots.releaseAll()
    }

    func contains(_ id: SlabID) -> Bool { unsafe slots.generations[Int(id.index)] == id.generation }

    /// The element, in place. Reading one that is gone is a programmer's error.
    subscript(id: SlabID) -> Element {
        _read {
            precondition(contains(id), "a slab's element was used after its end")
            yield unsafe slots.element(Int(id.index)).pointee
        }
        nonmutating _modify {
            precondition(contains(id), "a slab's element was used after its end")
            yield unsafe &slots.element(Int(id.index)).pointee
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

/// The memory behind a slab: chunks of slots, so that one more takes no more than a chunk and none ever moves. A slot's
/// element is initialised exactly while its generation is odd.
// @unchecked because only the slab's owner touches it, under the owner's lock.
@safe private final class SlabStorage<Element>: @unchecked Sendable {
    private typealias Chunk = UnsafeMutablePointer<Element>

    /// Slots of a chunk; a power of two.
    private static var chunkSize: Int { 16 }

    private var chunks: UnsafeMutablePointer<Chunk>
    private(set) var generations: UnsafeMutablePointer<UInt32>
    private(set) var used = 0
    /// Slots that have, or had, a generation, which goes on from there.
    private var known = 0
    /// In slots: of the two tables above, not of the chunks.
    private var capacity = 64

    init() {
        unsafe chunks = .allocate(capacity: capacity / Self.chunkSize)
        unsafe generations = .allocate(capacity: capacity)
    }

    deinit {
        for index in 0..<used where unsafe !generations[index].isMultiple(of: 2) {
            unsafe element(index).deinitialize(count: 1)
        }
        releaseAll()
        unsafe chunks.deallocate()
        unsafe generations.deallocate()
    }

    /// Where a slot's element lives.
    func element(_ index: Int) -> UnsafeMutablePointer<Element> {
        unsafe chunks[index / Self.chunkSize] + index % Self.chunkSize
    }

    /// Makes one more slot and returns its index.
    func add() -> Int {
        if used == capacity { grow() }
        if used.isMultiple(of: Self.chunkSize) {
            unsafe (chunks + used / Self.chunkSize).initialize(to: .allocate(capacity: Self.chunkSize))
        }
        if used == known {
            unsafe (generations + used).initialize(to: 0)
            known += 1
        }
        used += 1
        return used - 1
    }

    /// Gives all slots back, none of which has an element. Their generations stay, so that no id is ever valid again.
    func releaseAll() {
        for first in stride(from: 0, to: used, by: Self.chunkSize) { unsafe chunks[first / Self.chunkSize].deallocate() }
        used = 0
    }

    private func grow() {
        let moreChunks = UnsafeMutablePointer<Chunk>.allocate(capacity: 2 * capacity / Self.chunkSize)
        let moreGenerations = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * capacity)
        unsafe moreChunks.moveInitialize(from: chunks, count: capacity / Self.chunkSize)
        unsafe moreGenerations.moveInitialize(from: generations, count: known)
        unsafe chunks.deallocate()
        unsafe generations.deallocate()
        unsafe chunks = moreChunks
        unsafe generations = moreGenerations
        capacity *= 2
    }
}
