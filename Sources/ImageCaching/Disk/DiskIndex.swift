/// The entries and packs of the directory, built from the journal: a value that is equal in all processes that have read the
/// journal up to the same position.
struct DiskIndex: Equatable, Sendable {
    struct Entry: Hashable, Sendable {
        var location: PackLocation
        /// Seconds since 1970.
        var writtenAt: Double
        /// Grows with every use of any entry.
        var lastUse: UInt64
    }

    struct Pack: Hashable, Sendable {
        /// Bytes of the records of current entries.
        var liveBytes = 0
        /// The number of current entries.
        var liveCount = 0
        /// The end of the last known record, in bytes.
        var end = 0

        /// Adds a record and returns by how many bytes the pack grows.
        fileprivate mutating func add(_ location: PackLocation) -> Int {
            let growth = max(0, location.end - end)
            end += growth
            liveBytes += location.length
            liveCount += 1
            return growth
        }

        fileprivate mutating func remove(_ location: PackLocation) {
            liveBytes -= location.length
            liveCount -= 1
        }
    }

    private(set) var entries: [EntryName: Entry] = [:]
    private(set) var packs: [UInt64: Pack] = [:]
    /// Bytes of the records of current entries.
    private(set) var liveBytes = 0
    /// Bytes of all packs, including replaced and removed records.
    private(set) var fileBytes = 0
    /// Above the numbers of all packs so far.
    private(set) var nextPack: UInt64 = 1
    /// A lower bound for the time of every entry; seconds since 1970.
    private var oldestWrite = Double.infinity
    private var useCount: UInt64 = 0

    /// More entries would take over 100 MB of memory and a second to index.
    static let maximumCount = 180_000
    /// More packs would take too long to list.
    static let maximumPackCount = 100_000
    /// A petabyte: adding one more record to it does not overflow.
    private static let maximumBytes = 1 << 50

    /// Whether a cache can have written this. Callers check it after each change that they read, so that sums cannot overflow.
    var isWithinBounds: Bool {
        // Entries are evicted one batch after they were put, so the count may exceed the limit by a batch.
        entries.count <= Self.maximumCount + 16_000 && packs.count <= Self.maximumPackCount
            && max(liveBytes, fileBytes) <= Self.maximumBytes
    }

    mutating func apply(_ change: IndexChange) {
        switch change {
        case .put(let name, let location, let writtenAt):
            useCount += 1
            let entry = Entry(location: location, writtenAt: writtenAt, lastUse: useCount)
            if let old = entries.updateValue(entry, forKey: name) { releaseRecord(old.location) }
            addRecord(location)
            oldestWrite = min(oldestWrite, writtenAt)
        case .move(let name, let location):
            guard let found = entries.index(forKey: name) else { return }
            releaseRecord(entries.values[found].location)
            addRecord(location)
            entries.values[found].location = location
        case .remove(let name): remove(name)
        case .touch(let name): touch(name)
        case .removeAll:
            entries.removeAll()
            packs = packs.mapValues { Pack(end: $0.end) }
            (liveBytes, oldestWrite) = (0, .infinity)
        case .dropPack(let number):
            guard let pack = packs.removeValue(forKey: number) else { return }
            fileBytes -= pack.end
            if pack.liveCount > 0 { removeEntries(in: number) }
        case .packEnd(let number, let end):
            fileBytes += max(0, end - packs[number, default: Pack()].end)
            packs[number, default: Pack()].end = max(end, packs[number, default: Pack()].end)
        case .packFloor(let number): nextPack = max(nextPack, number)
        case .seal: break
        }
    }

    /// Marks an entry as the most recently used.
    mutating func touch(_ name: EntryName) {
        guard let found = entries.index(forKey: name) else { return }
        useCount += 1
        entries.values[found].lastUse = useCount
    }

    /// The changes that rebuild this index from an empty one, including the order of use.
    var snapshot: [IndexChange] {
        [.packFloor(nextPack)] + packs.sorted { $0.key < $1.key }.map { .packEnd($0.key, $0.value.end) }
            + entries.sorted { $0.value.lastUse < $1.value.lastUse }.map { name, entry in
                .put(name, entry.location, writtenAt: entry.writtenAt)
            }
    }

    private mutating func addRecord(_ location: PackLocation) {
        fileBytes += packs[location.pack, default: Pack()].add(location)
        liveBytes += location.length
        nextPack = max(nextPack, location.pack &+ 1)
    }

    private mutating func remove(_ name: EntryName) {
        if let entry = entries.removeValue(forKey: name) { releaseRecord(entry.location) }
    }

    /// Counts a record as unused.
    private mutating func releaseRecord(_ location: PackLocation) {
        liveBytes -= location.length
        packs[location.pack]?.remove(location)
    }

    private mutating func removeEntries(in pack: UInt64) {
        // Collect the names first: removing while iterating would copy the dictionary.
        for name in entries.compactMap({ $0.value.location.pack == pack ? $0.key : nil }) { remove(name) }
    }
}

// Eviction.
extension DiskIndex {
    /// Entries to evict, by cause.
    struct EvictedEntries: Equatable, Sendable {
        var expired: [EntryName] = []
        var leastUsed: [EntryName] = []
    }

    /// The entries to evict so that the limits hold.
    ///
    /// Expired entries are evicted first. If a limit is still exceeded, the least recently used entries follow until a share of
    /// the limit is free. The most recently used entry stays as long as it fits by itself.
    mutating func evictions(limits: DiskCache.Limits, now: Double) -> EvictedEntries {
        var found = EvictedEntries()
        var (bytes, count) = (liveBytes, entries.count)
        if now - oldestWrite > limits.maximumAge {
            oldestWrite = .infinity
            for (name, entry) in entries {
                if now - entry.writtenAt > limits.maximumAge {
                    found.expired.append(name)
                    bytes -= entry.location.length
                    count -= 1
                } else {
                    oldestWrite = min(oldestWrite, entry.writtenAt)
                }
            }
        }
        let countLimit = min(limits.maximumCount ?? .max, Self.maximumCount)
        guard fileBytes > limits.maximumBytes || count > countLimit else { return found }
        let keep = 1 - limits.freedShare
        let byteGoal = fileBytes > limits.maximumBytes ? Int((Double(limits.maximumBytes) * keep).rounded()) : .max
        let countGoal = count > countLimit ? Int((Double(countLimit) * keep).rounded()) : .max
        let expired = Set(found.expired)
        let byUse = entries.filter { !expired.contains($0.key) }.sorted { $0.value.lastUse < $1.value.lastUse }
        for (name, entry) in byUse where bytes > byteGoal || count > countGoal {
            if count == 1, bytes + PackHeader.length <= limits.maximumBytes, countLimit >= 1 { break }
            found.leastUsed.append(name)
            bytes -= entry.location.length
            count -= 1
        }
        return found
    }

    /// The pack with the smallest share of bytes in use, which frees the most space for the least copying; `nil` if no pack has
    /// unused bytes.
    func sparsestPack(except excluded: Set<UInt64>) -> UInt64? {
        packs.filter { !excluded.contains($0.key) && $0.value.liveBytes + PackHeader.length < $0.value.end }
            .min { Double($0.value.liveBytes) / Double($0.value.end) < Double($1.value.liveBytes) / Double($1.value.end) }?
            .key
    }

    /// The packs in the order of their last use, the least recently used first. Empty packs come before all others.
    var packsByUse: [UInt64] {
        var lastUses = packs.mapValues { _ in UInt64(0) }
        for entry in entries.values {
            let pack = entry.location.pack
            lastUses[pack] = max(lastUses[pack] ?? 0, entry.lastUse)
        }
        return lastUses.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    }

    /// Packs without current entries.
    var emptyPacks: [UInt64] { packs.filter { $0.value.liveCount == 0 }.map(\.key).sorted() }

    /// The entries in a pack, in the order of their records.
    func entries(in pack: UInt64) -> [(name: EntryName, entry: Entry)] {
        entries.filter { $0.value.location.pack == pack }.map { ($0.key, $0.value) }
            .sorted { $0.entry.location.offset < $1.entry.location.offset }
    }
}
