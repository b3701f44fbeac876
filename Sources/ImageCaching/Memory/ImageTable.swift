internal import CCalotypeCaching
internal import ImageCore

/// A part of the memory cache's entries by key: what a hit needs, under a lock of its own.
///
/// Open addressing with linear probing; removal shifts what follows back, so no marks of removed entries pile up. Written
/// out, on memory of its own, because a dictionary hashes the key a second time, cannot count a use without a second
/// lookup, and counts references at every step. A value in raw memory, because access to a class's properties is checked
/// for exclusivity each time. What a hit calls is always inlined: otherwise each call is handed a copy of the whole table.
// @unchecked because a table is touched only under its lock, in `ImageTables`.
@safe struct ImageTable: @unchecked Sendable {
    /// What finds an entry and counts its uses: one line of the processor's cache.
    struct Slot: Sendable {
        var key: ImageKey
        /// Of the last use.
        var stamp: UInt64
        /// Seconds of the cache's clock; infinity for no end.
        var expires: Double
        var seat: Seat
        /// Since the eviction order last asked, up to 3.
        var uses: UInt8 = 0
    }

    /// Where an entry is found in the eviction order.
    struct Seat: Sendable {
        /// Its number there.
        var node: Int32
        var priority: CachePriority
    }

    private var capacity = 16
    private var count = 0
    /// The hashes of the keys, 0 where a place is free.
    private var hashes: UnsafeMutablePointer<Int>
    private var slots: UnsafeMutablePointer<Slot>
    private var images: UnsafeMutablePointer<DecodedImage>
    var hits = 0
    var misses = 0
    /// Two lines of the processor's cache each: what one thread does to a table slows nobody at its neighbours.
    private var padding: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)

    init() { unsafe (hashes, slots, images) = Self.allocate(capacity: 16) }

    /// Places that are free. Slots begin at a line of the processor's cache.
    private static func allocate(
        capacity: Int
    ) -> (UnsafeMutablePointer<Int>, UnsafeMutablePointer<Slot>, UnsafeMutablePointer<DecodedImage>) {
        let hashes = UnsafeMutablePointer<Int>.allocate(capacity: capacity)
        unsafe hashes.initialize(repeating: 0, count: capacity)
        let slots = UnsafeMutableRawPointer.allocate(byteCount: MemoryLayout<Slot>.stride * capacity, alignment: 64)
        return unsafe (hashes, slots.bindMemory(to: Slot.self, capacity: capacity), .allocate(capacity: capacity))
    }

    private func deallocate() {
        unsafe hashes.deallocate()
        unsafe UnsafeMutableRawPointer(slots).deallocate()
        unsafe images.deallocate()
    }

    /// Frees the memory; the table is not to be used after this.
    func destroy() {
        for place in 0..<capacity where unsafe hashes[place] != 0 {
            unsafe (slots + place).deinitialize(count: 1)
            unsafe (images + place).deinitialize(count: 1)
        }
        deallocate()
    }

    /// The hash of a key as the tables use it: never 0. Its lower half is that of the resource alone, so that all variants
    /// of a resource lie in one table.
    @inline(__always)
    static func hash(of key: ImageKey) -> Int { (key.resource.hash & 0xffff_ffff) | (key.hash & ~0xffff_ffff) | 1 << 62 }

    /// The key's place, if it is there.
    @inline(__always)
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
            if found == hash, unsafe slots[place].seat.node == node { return place }
            place = next(place)
        }
    }

    @inline(__always)
    func image(at place: Int) -> DecodedImage { unsafe images[place] }

    @inline(__always)
    func expiry(at place: Int) -> Double { unsafe slots[place].expires }

    @inline(__always)
    func countUse(at place: Int, stamp: UInt64) {
        if unsafe slots[place].uses < 3 { unsafe slots[place].uses &+= 1 }
        unsafe slots[place].stamp = stamp
    }

    /// The entries of a resource, up to `limit` of them.
    func entries(of resource: ResourceKey, limit: Int) -> [(key: ImageKey, image: DecodedImage, expires: Double)] {
        let half = UInt32(truncatingIfNeeded: resource.hash)
        var found: [(key: ImageKey, image: DecodedImage, expires: Double)] = []
        for place in 0..<capacity where unsafe UInt32(truncatingIfNeeded: hashes[place]) == half {
            guard unsafe hashes[place] != 0, unsafe slots[place].key.resource == resource else { continue }
            unsafe found.append((slots[place].key, images[place], slots[place].expires))
            if found.count == limit { break }
        }
        return found
    }

    mutating func ask(
        _ node: Int32, hash: Int, _ question: EvictionQuestion, releasing released: inout ReleasedImages
    ) -> UInt64 {
        guard let place = find(node: node, hash: hash) else { return 0 }
        let uses = unsafe slots[place].uses
        switch question {
        case .takeUses where uses > 0:
            unsafe slots[place].uses = 0
            return UInt64(uses)
        case .takeUse where uses > 0:
            unsafe slots[place].uses = uses - 1
            return UInt64(uses)
        case .lastUse(let since):
            let stamp = unsafe slots[place].stamp
            if stamp > since || since == .max { return stamp }
            remove(at: place, releasing: &released)
            return since
        case .takeUses, .takeUse, .remove:
            remove(at: place, releasing: &released)
            return 0
        }
    }

    /// Keeps an entry. Where its key had one, that goes; returns its seat.
    mutating func keep(
        _ slot: Slot, _ image: DecodedImage, hash: Int, releasing released: inout ReleasedImages
    ) -> Seat? {
        if let place = find(slot.key, hash: hash) {
            let seat = unsafe slots[place].seat
            unsafe released.add((images + place).move())
            unsafe (images + place).initialize(to: image)
            unsafe slots[place] = slot
            return seat
        }
        if count * 4 >= capacity * 3 { grow() }
        let place = freePlace(for: hash)
        unsafe hashes[place] = hash
        unsafe (slots + place).initialize(to: slot)
        unsafe (images + place).initialize(to: image)
        count += 1
        return nil
    }

    /// Removes an entry, and returns its seat.
    @discardableResult
    mutating func remove(at place: Int, releasing released: inout ReleasedImages) -> Seat {
        let seat = unsafe slots[place].seat
        unsafe released.add((images + place).move())
        unsafe (slots + place).deinitialize(count: 1)
        var hole = place
        var after = next(place)
        while unsafe hashes[after] != 0 {
            // Whether the slot's way from its home leads over the hole.
            if unsafe (after &- home(hashes[after])) & (capacity - 1) >= (after &- hole) & (capacity - 1) {
                unsafe hashes[hole] = hashes[after]
                unsafe (slots + hole).moveInitialize(from: slots + after, count: 1)
                unsafe (images + hole).moveInitialize(from: images + after, count: 1)
                hole = after
            }
            after = next(after)
        }
        unsafe hashes[hole] = 0
        count -= 1
        return seat
    }

    private func freePlace(for hash: Int) -> Int {
        var place = home(hash)
        while unsafe hashes[place] != 0 { place = next(place) }
        return place
    }

    private mutating func grow() {
        let old = self
        capacity *= 2
        unsafe (hashes, slots, images) = Self.allocate(capacity: capacity)
        for from in 0..<old.capacity where unsafe old.hashes[from] != 0 {
            let to = unsafe freePlace(for: old.hashes[from])
            unsafe hashes[to] = old.hashes[from]
            unsafe (slots + to).moveInitialize(from: old.slots + from, count: 1)
            unsafe (images + to).moveInitialize(from: old.images + from, count: 1)
        }
        old.deallocate()
    }

    @inline(__always)
    private func home(_ hash: Int) -> Int { hash >> 32 & (capacity &- 1) }

    @inline(__always)
    private func next(_ place: Int) -> Int { (place &+ 1) & (capacity &- 1) }
}

/// All tables of a cache, and what their readers leave behind. A value, so that handing it around counts no references; its
/// owner destroys it.
// @unchecked because the tables lie each behind a lock and the accesses are atomic.
@safe struct ImageTables: @unchecked Sendable {
    private let tables: UnsafeMutablePointer<Lock<ImageTable>>
    private let accesses: UnsafeMutablePointer<calotype_accesses>

    /// A power of two, and more than there are threads at work.
    private static let count = 64

    init() {
        let size = MemoryLayout<Lock<ImageTable>>.stride * Self.count
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 128)
        unsafe tables = memory.bindMemory(to: Lock<ImageTable>.self, capacity: Self.count)
        for i in 0..<Self.count { unsafe (tables + i).initialize(to: Lock(ImageTable())) }
        let others = UnsafeMutableRawPointer.allocate(byteCount: MemoryLayout<calotype_accesses>.size, alignment: 128)
        unsafe accesses = others.initializeMemory(as: calotype_accesses.self, to: calotype_accesses())
        unsafe calotype_set_mask(accesses, .max)
    }

    /// Frees the memory; the tables are not to be used after this.
    func destroy() {
        for i in 0..<Self.count { unsafe tables[i].withLock { $0.destroy() } }
        unsafe tables.deinitialize(count: Self.count)
        unsafe UnsafeMutableRawPointer(tables).deallocate()
        unsafe UnsafeMutableRawPointer(accesses).deallocate()
    }

    /// The table of a hash. No other thread is in there.
    @inline(__always)
    func withTable<R: Sendable>(of hash: Int, _ body: (inout ImageTable) -> R) -> R {
        unsafe tables[hash & (Self.count - 1)].withLock { body(&$0) }
    }

    /// The stamp of a use, which may become part of the sample.
    @inline(__always)
    func stampOfUse(_ hash: Int) -> UInt64 { unsafe calotype_note_use(accesses, Int64(hash)) }

    /// The stamp of an insert.
    func stampOfInsert() -> UInt64 { unsafe calotype_note_insert(accesses) }

    /// Which uses are sampled from now on.
    func sample(_ mask: UInt64) { unsafe calotype_set_mask(accesses, mask) }

    /// Hits and misses of all tables.
    var counts: (hits: Int, misses: Int) {
        (0..<Self.count).reduce(into: (0, 0)) { sum, hash in
            let (hits, misses) = withTable(of: hash) { ($0.hits, $0.misses) }
            sum = (sum.0 + hits, sum.1 + misses)
        }
    }

    /// Hands over the samples of one stripe from the `start`th on, those that are still there; returns where they end.
    func samples(ofStripe stripe: UInt32, from start: UInt64, _ body: (_ hash: Int) -> Void) -> UInt64 {
        let end = unsafe calotype_sample_count(accesses, stripe)
        guard end != start else { return end }
        let kept = UInt64(CALOTYPE_SAMPLES)
        for number in max(start, end > kept ? end - kept : 0)..<max(start, end) {
            body(Int(unsafe calotype_sample(accesses, stripe, number)))
        }
        return end
    }
}

/// The tables as an eviction sees them. Collects the images that leave, so that their memory is given back after the locks.
struct TableEntries: EvictionCandidates {
    let tables: ImageTables
    private(set) var released = ReleasedImages()

    init(_ tables: ImageTables) { self.tables = tables }

    mutating func ask(_ node: Int32, hash: Int, _ question: EvictionQuestion) -> UInt64 {
        tables.withTable(of: hash) { $0.ask(node, hash: hash, question, releasing: &released) }
    }

    /// Keeps an entry, and returns the seat of the one that its key had.
    mutating func keep(_ slot: ImageTable.Slot, _ image: DecodedImage, hash: Int) -> ImageTable.Seat? {
        tables.withTable(of: hash) { $0.keep(slot, image, hash: hash, releasing: &released) }
    }

    /// Removes the entry of a key if it meets a condition, and returns its seat.
    mutating func remove(_ key: ImageKey, hash: Int, if condition: (_ expires: Double) -> Bool) -> ImageTable.Seat? {
        tables.withTable(of: hash) { table in
            guard let place = table.find(key, hash: hash), condition(table.expiry(at: place)) else { return nil }
            return table.remove(at: place, releasing: &released)
        }
    }

    /// What left so far.
    mutating func takeReleased() -> ReleasedImages {
        var taken = ReleasedImages()
        swap(&taken, &released)
        return taken
    }
}

/// Images that left the cache.
struct ReleasedImages: Sendable {
    private var first: DecodedImage?
    private var others: [DecodedImage] = []

    mutating func add(_ image: consuming DecodedImage) {
        if first == nil { first = consume image } else { others.append(image) }
    }

    /// The last reference goes where this is called.
    consuming func release() {}
}
