internal import DequeModule
internal import ImageCore

/// The state of a disk cache in memory, shared by its readers and its writer under one lock. Does no I/O.
struct DiskState: Sendable {
    enum Phase: Sendable {
        case unopened, open
        /// Nothing is stored, and every lookup is a miss.
        case off
    }

    /// A requested change that is not in the journal yet. Readers see it already.
    struct Pending: Sendable {
        /// `nil` for a removal.
        var entry: DataEntry?
        /// When the change was requested; seconds since 1970.
        var time: Double
        /// Increases with every change, so that a later change of the same entry is recognised.
        var number: UInt64
    }

    /// The changes and uses that the writer writes together.
    struct WriteBatch: Sendable {
        var changes: [(name: EntryName, pending: Pending)] = []
        var touched: [EntryName] = []
    }

    enum Lookup: Sendable {
        case miss
        case hit(DataEntry)
        /// The entry is on disk. The file is that of its pack, if it is open already.
        case stored(PackLocation, OpenFile?)
    }

    var phase = Phase.unopened
    var secret = EntryName(low: 0, high: 0)
    /// The number of the directory, which its packs repeat; `nil` before the directory is open.
    var directory: EntryName?
    var index = DiskIndex()
    var journal: OpenFile?
    /// Bytes of the journal that are in the index.
    var journalEnd = 0
    var statistics = CacheStatistics(name: "disk")
    /// Bytes of pending bodies.
    private(set) var pendingBytes = 0
    private var pending: [EntryName: Pending] = [:]
    private var queue: Deque<(name: EntryName, number: UInt64)> = []
    /// Uses that are not in the journal yet.
    private var touched: [EntryName] = []
    private var changeCount: UInt64 = 0
    private var isDrainScheduled = false
    private var openPacks: [UInt64: OpenFile] = [:]

    /// Packs that stay open for reading.
    private static let maximumOpenPacks = 128
    /// Uses that are collected before they are written.
    private static let maximumTouched = 256
    private static let batchBytes = 1 << 20
    private static let batchCount = 256

    mutating func lookUp(_ name: EntryName, limits: DiskCache.Limits, now: Double) -> Lookup {
        if let change = pending[name] {
            guard let entry = change.entry, now - change.time <= limits.maximumAge else { return .miss }
            return .hit(entry)
        }
        guard phase == .open, let entry = index.entries[name], now - entry.writtenAt <= limits.maximumAge else { return .miss }
        return .stored(entry.location, openPacks[entry.location.pack])
    }

    /// Records a use of an entry. Returns whether the caller must wake the writer.
    mutating func touch(_ name: EntryName) -> Bool {
        index.touch(name)
        touched.append(name)
        return touched.count >= Self.maximumTouched && scheduleDrain()
    }

    /// Queues a change. Returns whether the caller must wake the writer.
    mutating func enqueue(_ entry: DataEntry?, for name: EntryName, at time: Double) -> Bool {
        changeCount += 1
        pendingBytes += (entry?.data.count ?? 0) - (pending[name]?.entry?.data.count ?? 0)
        pending[name] = Pending(entry: entry, time: time, number: changeCount)
        queue.append((name, changeCount))
        return scheduleDrain()
    }

    /// Queues the removal of a damaged entry, unless the entry has changed since it was read. Returns whether it was queued.
    mutating func enqueueRemoval(ofDamaged name: EntryName, at location: PackLocation) -> Bool {
        guard pending[name] == nil, index.entries[name]?.location == location else { return false }
        statistics.evictions.damaged += 1
        _ = enqueue(nil, for: name, at: 0)
        return true
    }

    /// Queues the removal of all entries with a source (``EntryName/sourceHash(of:secret:)``). Returns whether the caller must wake
    /// the writer.
    mutating func enqueueRemovals(ofSource source: UInt64) -> Bool {
        let names = Set(index.entries.keys.filter { $0.high == source }).union(pending.keys.filter { $0.high == source })
        var wakes = false
        for name in names where enqueue(nil, for: name, at: 0) { wakes = true }
        return wakes
    }

    private mutating func scheduleDrain() -> Bool {
        defer { isDrainScheduled = true }
        return !isDrainScheduled
    }

    /// The next changes to write, oldest first; `nil` if there are none. Readers see them as pending until ``settle(_:)``.
    mutating func nextBatch() -> WriteBatch? {
        var batch = WriteBatch()
        var bytes = 0
        while batch.changes.count < Self.batchCount, bytes < Self.batchBytes, let (name, number) = queue.popFirst() {
            // A later change of the same entry replaces this one.
            guard let change = pending[name], change.number == number else { continue }
            batch.changes.append((name, change))
            bytes += change.entry?.data.count ?? 0
        }
        swap(&batch.touched, &touched)
        if batch.changes.isEmpty, batch.touched.isEmpty {
            isDrainScheduled = false
            return nil
        }
        return batch
    }

    /// Ends the changes of a batch, which are in the index now or lost.
    mutating func settle(_ batch: WriteBatch) {
        for (name, change) in batch.changes where pending[name]?.number == change.number {
            pendingBytes -= change.entry?.data.count ?? 0
            pending[name] = nil
        }
    }

    mutating func keepOpen(_ file: OpenFile, pack: UInt64) {
        if openPacks.count >= Self.maximumOpenPacks, let other = openPacks.keys.first { openPacks[other] = nil }
        openPacks[pack] = file
    }

    mutating func forgetPack(_ pack: UInt64) { openPacks[pack] = nil }

    mutating func apply(_ change: IndexChange) {
        index.apply(change)
        if case .dropPack(let pack) = change { openPacks[pack] = nil }
    }

    /// Replaces the index by one that was read from a journal.
    mutating func use(_ index: DiskIndex, journal: OpenFile, end: Int, header: JournalHeader) {
        (self.index, self.journal, journalEnd) = (index, journal, end)
        (secret, directory) = (header.secret, header.directory)
        openPacks = [:]
    }

    /// Turns the cache off: nothing is stored from now on.
    mutating func turnOff() {
        let counted = statistics
        self = DiskState()
        statistics = counted
        phase = .off
    }

    var currentStatistics: CacheStatistics {
        var result = statistics
        result.count = index.entries.count
        result.byteCount = index.liveBytes
        result.fileByteCount = index.fileBytes
        return result
    }
}
