internal import ImageCore

/// A part of the memory cache's entries by key: what a hit needs, under a lock of its own.
///
/// Open addressing with linear probing; removal shifts what follows back, so no marks of removed entries pile up. Written
/// out, on memory of its own, because a dictionary hashes the key a second time, cannot count a use without a second
/// lookup, and counts references at every step: that took 210 ns a hit where this takes 80.
// @unchecked because all state is touched only between `lock` and its release, in `withLock`.
@safe final class ImageTable: @unchecked Sendable {
    struct Slot {
        var key: ImageKey
        var image: DecodedImage
        /// The entry's number in the eviction queues.
        var node: Int32
        /// Since the eviction queues last asked, up to 3.
        var uses: UInt8
        var priority: CachePriority
        /// Seconds of the cache's clock; infinity for no end.
        var expires: Double
    }

    private let lock = Lock(())
    private var capacity = 16
    private var count = 0
    /// The hashes of the keys, 0 where a place is free.
    private var hashes: UnsafeMutablePointer<Int>
    private var slots: UnsafeMutablePointer<Slot>
    var hits = 0
    var misses = 0
    /// Keeps two tables from sharing a line of the processor's cache.
    private let padding = (0, 0, 0, 0, 0, 0, 0, 0)

    init() {
        unsafe hashes = .allocate(capacity: 16)
        unsafe hashes.initialize(repeating: 0, count: 16)
        unsafe slots = .allocate(capacity: 16)
    }

    deinit {
        for place in 0..<capacity where unsafe hashes[place] != 0 { unsafe (slots + place).deinitialize(count: 1) }
        unsafe slots.deallocate()
        unsafe hashes.deallocate()
    }

    /// Everything below is called in here only.
    @inline(__always)
    func withLock<R: Sendable>(_ body: (ImageTable) -> R) -> R {
        lock.withLock { _ in body(self) }
    }

    /// The hash of a key as the tables use it: never 0.
    static func hash(of key: ImageKey) -> Int { key.hash | 1 << 62 }

    /// The key's place, if it is there.
    func find(_ key: ImageKey, hash: Int) -> Int? {
        var place = home(hash)
        while true {
            let found = unsafe hashes[place]
            if found == 0 { return nil }
            if found == hash, unsafe slots[place].key == key { return place }
            place = next(place)
        }
    }

    /// The place of an entry that is there.
    private func find(node: Int32, hash: Int) -> Int? {
        var place = home(hash)
        while true {
            let found = unsafe hashes[place]
            if found == 0 { return nil }
            if found == hash, unsafe slots[place].node == node { return place }
            place = next(place)
        }
    }

    /// The image at a place, counted as a use, and when it expires.
    func use(_ place: Int) -> (DecodedImage, expires: Double) {
        if unsafe slots[place].uses < 3 { unsafe slots[place].uses += 1 }
        return unsafe (slots[place].image, slots[place].expires)
    }

    func expiry(_ place: Int) -> Double { unsafe slots[place].expires }

    /// The uses of an entry, which are lowered. One without any is removed, and its image returned.
    func age(node: Int32, hash: Int, _ aging: EvictionQueues.Aging) -> (uses: UInt8, removed: DecodedImage?) {
        guard let place = find(node: node, hash: hash) else { return (0, nil) }
        let uses = unsafe slots[place].uses
        guard uses > 0, aging != .nothing else { return (0, remove(place).image) }
        unsafe slots[place].uses = aging == .byOne ? uses - 1 : 0
        return (uses, nil)
    }

    /// Adds a key that is not there.
    func insert(_ slot: consuming Slot, hash: Int) {
        if count * 4 >= capacity * 3 { grow() }
        put(slot, hash: hash)
        count += 1
    }

    func remove(_ place: Int) -> Slot {
        let removed = unsafe (slots + place).move()
        var hole = place
        var after = next(place)
        while unsafe hashes[after] != 0 {
            // Whether the slot's way from its home leads over the hole.
            if unsafe (after &- home(hashes[after])) & (capacity - 1) >= (after &- hole) & (capacity - 1) {
                unsafe hashes[hole] = hashes[after]
                unsafe (slots + hole).moveInitialize(from: slots + after, count: 1)
                hole = after
            }
            after = next(after)
        }
        unsafe hashes[hole] = 0
        count -= 1
        return removed
    }

    private func put(_ slot: consuming Slot, hash: Int) {
        var place = home(hash)
        while unsafe hashes[place] != 0 { place = next(place) }
        unsafe hashes[place] = hash
        unsafe (slots + place).initialize(to: slot)
    }

    private func grow() {
        let (oldCapacity, oldHashes, oldSlots) = unsafe (capacity, hashes, slots)
        capacity *= 2
        unsafe hashes = .allocate(capacity: capacity)
        unsafe hashes.initialize(repeating: 0, count: capacity)
        unsafe slots = .allocate(capacity: capacity)
        for place in 0..<oldCapacity where unsafe oldHashes[place] != 0 {
            unsafe put((oldSlots + place).move(), hash: oldHashes[place])
        }
        unsafe oldHashes.deallocate()
        unsafe oldSlots.deallocate()
    }

    private func home(_ hash: Int) -> Int { hash >> 8 & (capacity - 1) }
    private func next(_ place: Int) -> Int { (place + 1) & (capacity - 1) }
}
