internal import CCalotypeDiskIO
internal import ImageCore

/// The memory cache's entries by number and by key, and what those who read them leave behind.
///
/// Any thread may look up; who changes something holds the lock of the queues. A value, so that handing it around counts no
/// references; its owner destroys it.
// @unchecked because each entry is touched only under its lock, what leads to it is atomic, and so are the accesses.
@safe struct ImageIndex: @unchecked Sendable {
    struct Found: Sendable {
        var image: DecodedImage
        /// Seconds of the cache's clock; infinity for no end.
        var expires: Double
    }

    private let index: OpaquePointer
    private let accesses: UnsafeMutablePointer<calotype_accesses>

    init() {
        precondition(MemoryLayout<DecodedImage>.size <= CALOTYPE_IMAGE_BYTES, "an image fits its place in a slot")
        let size = MemoryLayout<calotype_accesses>.size
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 128)
        unsafe accesses = memory.initializeMemory(as: calotype_accesses.self, to: calotype_accesses())
        unsafe calotype_set_mask(accesses, .max)
        unsafe index = calotype_index_create()
    }

    /// Frees the memory; the index is not to be used after this.
    ///
    /// - Parameter count: how many entries there were numbers for.
    func destroy(count: Int32) {
        for node in 0..<count where unsafe slot(node).pointee.is_occupied { unsafe image(in: slot(node)).deinitialize(count: 1) }
        unsafe calotype_index_destroy(index)
        unsafe UnsafeMutableRawPointer(accesses).deallocate()
    }
}

// For all threads.
extension ImageIndex {
    /// What a lookup came to.
    enum Answer: Sendable {
        case found(Found)
        case missing
        /// Others change the index so much that this is to be asked again by who may change it.
        case unknown
    }

    /// The image of a key. Counts a use or a miss.
    @inline(__always)
    func use(_ key: ImageKey) -> Answer { unsafe answer(calotype_index_take(index, Self.key(key), accesses)) }

    /// The image of a key. Counts nothing.
    func peek(_ key: ImageKey) -> Answer { unsafe answer(calotype_index_take(index, Self.key(key), nil)) }

    /// What was counted as a hit was none.
    func takeHitBack() { unsafe calotype_take_hit_back(accesses) }

    /// Which uses are sampled from now on.
    func sample(_ mask: UInt64) { unsafe calotype_set_mask(accesses, mask) }

    var counts: (hits: Int, misses: Int) {
        (0..<UInt32(CALOTYPE_STRIPES)).reduce(into: (0, 0)) { sum, stripe in
            sum.0 += Int(unsafe calotype_hits(accesses, stripe))
            sum.1 += Int(unsafe calotype_misses(accesses, stripe))
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

    @inline(__always)
    private func answer(_ lookup: calotype_lookup) -> Answer {
        guard let slot = unsafe lookup.slot else { return unsafe lookup.is_certain ? .missing : .unknown }
        let found = unsafe Found(image: image(in: slot).pointee, expires: slot.pointee.expires)
        unsafe calotype_slot_unlock(slot)
        return .found(found)
    }
}

// For who may change the index.
extension ImageIndex {
    /// The number of a key's entry.
    func node(of key: ImageKey) -> Int32? {
        let node = unsafe calotype_index_find(index, Self.key(key))
        return node < 0 ? nil : node
    }

    /// The numbers of a resource's entries, up to `limit` of them.
    func nodes(of resource: ResourceKey, limit: Int) -> [Int32] {
        unsafe [Int32](unsafeUninitializedCapacity: limit) { numbers, count in
            let half = UInt32(truncatingIfNeeded: resource.hash)
            unsafe count = Int(calotype_index_variants(index, half, numbers.baseAddress, Int32(limit)))
        }
    }

    /// The image of a key. Counts a use or a miss.
    func useAlone(_ key: ImageKey) -> Found? {
        guard let node = node(of: key) else {
            unsafe calotype_note_miss(accesses)
            return nil
        }
        return read(node, counting: true)
    }

    /// The image of an entry. With `counting`, that is a use.
    func read(_ node: Int32, counting: Bool = false) -> Found {
        let slot = unsafe slot(node)
        unsafe calotype_slot_lock(slot)
        defer { unsafe calotype_slot_unlock(slot) }
        if counting { unsafe calotype_slot_use(slot, accesses) }
        return unsafe Found(image: image(in: slot).pointee, expires: slot.pointee.expires)
    }

    func priority(of node: Int32) -> CachePriority { unsafe slot(node).pointee.priority == 0 ? .normal : .high }

    /// Keeps an image as the newest entry, and returns the stamp. Where there is one of that number, it has the same key, and
    /// its image is returned too.
    func keep(
        _ image: DecodedImage, at node: Int32, key: ImageKey, expires: Double, priority: CachePriority
    ) -> (stamp: UInt64, replaced: DecodedImage?) {
        let slot = unsafe slot(node)
        let stamp = unsafe calotype_note_insert(accesses)
        unsafe calotype_slot_lock(slot)
        let isNew = unsafe !slot.pointee.is_occupied
        let replaced = isNew ? nil : unsafe self.image(in: slot).move()
        unsafe self.image(in: slot).initialize(to: image)
        unsafe slot.pointee.key = Self.key(key)
        unsafe (slot.pointee.is_occupied, slot.pointee.priority) = (true, priority == .normal ? 0 : 1)
        unsafe (slot.pointee.uses, slot.pointee.stamp, slot.pointee.expires) = (0, stamp, expires)
        unsafe calotype_slot_unlock(slot)
        if isNew { unsafe calotype_index_link(index, node) }
        return (stamp, replaced)
    }

    /// Answers the eviction order. What leaves goes to `released`.
    func ask(_ node: Int32, _ question: EvictionQuestion, releasing released: inout ReleasedImages) -> UInt64 {
        let slot = unsafe slot(node)
        unsafe calotype_slot_lock(slot)
        let (uses, stamp) = unsafe (slot.pointee.uses, slot.pointee.stamp)
        var answer: UInt64 = 0
        var leaves = false
        switch question {
        case .takeUses where uses > 0:
            unsafe slot.pointee.uses = 0
            answer = UInt64(uses)
        case .takeUse where uses > 0:
            unsafe slot.pointee.uses = uses - 1
            answer = UInt64(uses)
        case .lastUse(let since):
            leaves = stamp <= since && since != .max
            answer = leaves ? since : stamp
        case .takeUses, .takeUse, .remove:
            leaves = true
        }
        if leaves {
            unsafe released.add(image(in: slot).move())
            unsafe slot.pointee.is_occupied = false
        }
        unsafe calotype_slot_unlock(slot)
        if leaves { unsafe calotype_index_unlink(index, node) }
        return answer
    }
}

extension ImageIndex {
    @inline(__always)
    private static func key(_ key: ImageKey) -> calotype_image_key {
        calotype_image_key(hash: UInt64(bitPattern: Int64(key.hash)), check: key.check)
    }

    private func slot(_ node: Int32) -> UnsafeMutablePointer<calotype_slot> { unsafe calotype_index_slot(index, node) }

    /// Where a slot keeps its image.
    @inline(__always)
    private func image(in slot: UnsafeMutablePointer<calotype_slot>) -> UnsafeMutablePointer<DecodedImage> {
        unsafe calotype_slot_image(slot).assumingMemoryBound(to: DecodedImage.self)
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
