internal import ImageCore

/// A part of the memory cache's entries by key: what a hit needs, and nothing else.
///
/// Open addressing with linear probing; removal shifts what follows back, so no marks of removed entries pile up. Written
/// out because a dictionary would hash the key a second time, and cannot count a use without a second lookup.
struct ImageTable: Sendable {
    struct Slot: Sendable {
        var key: ImageKey
        var hash: Int
        var image: DecodedImage
        /// The entry's number in the eviction queues.
        var node: Int32
        /// Since the eviction queues last asked, up to 3.
        var uses: UInt8
        /// Seconds of the cache's clock; infinity for no end.
        var expires: Double
    }

    private var slots: [Slot?] = Array(repeating: nil, count: 16)
    private(set) var count = 0
    var hits = 0
    var misses = 0

    /// The key's place, if it is there.
    func find(_ key: ImageKey, hash: Int) -> Int? {
        var place = home(hash)
        while slots[place] != nil {
            if slots[place]?.hash == hash, slots[place]?.key == key { return place }
            place = next(place)
        }
        return nil
    }

    subscript(place: Int) -> Slot? { slots[place] }

    func expiry(_ place: Int) -> Double { slots[place]?.expires ?? .infinity }

    /// The image at a place, counted as a use.
    mutating func use(_ place: Int) -> DecodedImage? {
        if let uses = slots[place]?.uses, uses < 3 { slots[place]?.uses = uses + 1 }
        return slots[place]?.image
    }

    /// The uses at a place, which are lowered.
    mutating func takeUses(_ place: Int, _ aging: EvictionQueues.Aging) -> UInt8 {
        guard let uses = slots[place]?.uses, uses > 0 else { return 0 }
        slots[place]?.uses = aging == .byOne ? uses - 1 : 0
        return uses
    }

    /// Adds a key that is not there.
    mutating func insert(_ slot: Slot) {
        if count * 4 >= slots.count * 3 { grow() }
        place(slot)
        count += 1
    }

    mutating func remove(_ place: Int) {
        var hole = place
        var after = next(place)
        while let slot = slots[after] {
            // Whether the slot's way from its home leads over the hole.
            if (after &- home(slot.hash)) & (slots.count - 1) >= (after &- hole) & (slots.count - 1) {
                slots[hole] = slot
                hole = after
            }
            after = next(after)
        }
        slots[hole] = nil
        count -= 1
    }

    private mutating func place(_ slot: Slot) {
        var place = home(slot.hash)
        while slots[place] != nil { place = next(place) }
        slots[place] = slot
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: nil, count: old.count * 2)
        for case let slot? in old { place(slot) }
    }

    private func home(_ hash: Int) -> Int { hash >> 8 & (slots.count - 1) }
    private func next(_ place: Int) -> Int { (place + 1) & (slots.count - 1) }
}
