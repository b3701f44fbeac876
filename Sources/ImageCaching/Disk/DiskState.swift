internal import DequeModule
internal import ImageCore

/// The state of a disk cache in memory, shared by its readers and its writer under one lock. Does no I/O.
struct DiskState: Sendable {
    enum Phase: Sendable {
        case unopened, open
        /// Nothing is stored, and every lookup is a miss.
        case off
    }

    /// A requested change that is not written yet. Readers see it already.
    struct Pending: Sendable {
        /// `nil` for a removal.
        var entry: DataEntry?
        /// Whether the stored body is probably that of the entry, so that only the response headers have to be written.
        var isUpdate = false
        /// The time of the only file to remove; `nil` for any.
        var invalidWrite: Double?
        /// When the change was requested.
        var times: FileTimes
        /// Increases with every change, so that a later change of the same entry is recognised.
        var number: UInt64
    }

    var phase = Phase.unopened
    var statistics = CacheStatistics(name: "disk")
    var usage = DiskUsage()
    /// Bytes of pending bodies.
    private(set) var pendingBytes = 0
    private var pending: [EntryName: Pending] = [:]
    private var queue: Deque<(name: EntryName, number: UInt64)> = []
    /// The last uses that are not written yet.
    private var used: [EntryName: Double] = [:]
    private var lastUse = 0.0
    private var changeCount: UInt64 = 0
    private var isDrainScheduled = false

    /// Uses that are collected before they are written.
    private static let maximumUsed = 1024

    /// The pending change of an entry; `nil` if there is none, and the disk has to be read.
    func pendingChange(of name: EntryName) -> Pending? { pending[name] }

    /// Records a use of an entry. Returns whether the caller must wake the writer.
    mutating func recordUse(of name: EntryName, now: Double) -> Bool {
        used[name] = nextUse(now)
        return hasManyUses && scheduleDrain()
    }

    /// Queues a change. Returns whether the caller must wake the writer.
    mutating func enqueue(_ entry: DataEntry?, isUpdate: Bool = false, for name: EntryName, now: Double) -> Bool {
        changeCount += 1
        pendingBytes += (entry?.data.count ?? 0) - (pending[name]?.entry?.data.count ?? 0)
        let times = FileTimes(lastUse: nextUse(now), written: now)
        pending[name] = Pending(entry: entry, isUpdate: isUpdate, times: times, number: changeCount)
        queue.append((name, changeCount))
        return scheduleDrain()
    }

    /// Queues the removal of an entry that was found damaged or expired, unless it changes anyway.
    mutating func enqueueRemoval(ofInvalid name: EntryName, written: Double?, isExpired: Bool, now: Double) -> Bool {
        guard pending[name] == nil else { return false }
        if isExpired { statistics.evictions.expired += 1 } else { statistics.evictions.damaged += 1 }
        defer { pending[name]?.invalidWrite = written }
        return enqueue(nil, for: name, now: now)
    }

    /// Replaces pending stores by removals.
    mutating func enqueueRemovals(where isRemoved: (EntryName) -> Bool) {
        for name in pending.keys.filter(isRemoved) { _ = enqueue(nil, for: name, now: lastUse) }
    }

    /// Discards all changes that are not written yet.
    mutating func discardPending() {
        (pending, queue, pendingBytes) = ([:], [], 0)
        used = [:]
    }

    /// A later time than that of all uses before, so that uses within one tick of the clock keep their order. A clock
    /// that was set back starts again.
    private mutating func nextUse(_ now: Double) -> Double {
        lastUse = lastUse - now > 1 ? now : max(now, lastUse + 1e-6)
        return lastUse
    }

    private mutating func scheduleDrain() -> Bool {
        defer { isDrainScheduled = true }
        return !isDrainScheduled
    }

    /// The next change to write, oldest first; `nil` if there is none. Readers see it as pending until
    /// ``settle(_:number:)``.
    mutating func nextChange() -> (name: EntryName, pending: Pending)? {
        while let (name, number) = queue.popFirst() {
            // A later change of the same entry replaces this one.
            if let change = pending[name], change.number == number { return (name, change) }
        }
        isDrainScheduled = false
        return nil
    }

    /// Ends a change that was written or is lost, unless a later one has replaced it.
    mutating func settle(_ name: EntryName, number: UInt64) {
        guard let change = pending[name], change.number == number else { return }
        pendingBytes -= change.entry?.data.count ?? 0
        pending[name] = nil
    }

    /// Whether a use of an entry is to be written.
    func wasUsed(_ name: EntryName) -> Bool { used[name] != nil }

    var hasManyUses: Bool { used.count >= Self.maximumUsed }

    /// Returns the uses to write, and forgets them.
    mutating func takeUses() -> [EntryName: Double] {
        defer { used = [:] }
        return used
    }

    var currentStatistics: CacheStatistics {
        var result = statistics
        result.count = usage.total.count
        result.byteCount = Int(clamping: usage.total.bytes)
        result.fileByteCount = result.byteCount
        return result
    }
}
