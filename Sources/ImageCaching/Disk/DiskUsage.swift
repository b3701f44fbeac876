/// How many entries a directory has and how large they are, as far as its folders have been read: a value, kept up to
/// date as this process writes and removes entries.
struct DiskUsage: Equatable, Sendable {
    struct Totals: Equatable, Sendable {
        var count = 0
        var bytes: Int64 = 0

        static func += (a: inout Self, b: Self) {
            a.count += b.count
            a.bytes += b.bytes
        }

        static func -= (a: inout Self, b: Self) {
            a.count -= b.count
            a.bytes -= b.bytes
        }
    }

    /// The size and the last use of an entry.
    struct Use: Equatable, Sendable {
        var name: EntryName
        var bytes: Int64
        var lastUse: Double
    }

    /// The sum of all folders that have been counted.
    private(set) var total = Totals()
    /// `nil` for folders that have not been counted.
    private var folders = [Totals?](repeating: nil, count: 256)
    /// What was written since all folders were counted.
    private var written = Totals()
    /// A lower bound for the time of every entry; seconds since 1970.
    private var oldestWrite = Double.infinity

    /// A file counts with at most this many bytes, so that forged sizes do not overflow sums: no image has a quarter of
    /// a terabyte.
    static let maximumFileBytes = Int64(1) << 38

    var isCounted: Bool { folders.allSatisfy { $0 != nil } }

    /// Begins to count all folders.
    mutating func beginCount() {
        written = Totals()
        oldestWrite = .infinity
    }

    /// Replaces what was counted in a folder.
    mutating func setFolder(_ folder: UInt8, to totals: Totals, oldestWrite oldest: Double = .infinity) {
        if let old = folders[Int(folder)] { total -= old }
        folders[Int(folder)] = totals
        total += totals
        oldestWrite = min(oldestWrite, oldest)
    }

    /// Counts a change of an entry's file.
    ///
    /// - Parameters:
    ///   - old: the size of the file before the change; `nil` if it did not exist.
    ///   - new: the size of the file after the change; `nil` if it was removed.
    mutating func change(_ folder: UInt8, from old: Int64?, to new: Int64?, at time: Double = .infinity) {
        oldestWrite = min(oldestWrite, time)
        if let new { written += Totals(count: 1, bytes: new) }
        // A folder that has not been counted will be.
        guard var totals = folders[Int(folder)] else { return }
        // The old file may be one that another process has stored since the count.
        totals.count = max(0, totals.count + (new == nil ? 0 : 1) - (old == nil ? 0 : 1))
        totals.bytes = max(0, totals.bytes + (new ?? 0) - min(old ?? 0, Self.maximumFileBytes))
        setFolder(folder, to: totals)
    }

    /// Whether the entries exceed a limit.
    func isOver(_ limits: DiskCache.Limits) -> Bool {
        total.bytes > limits.maximumBytes || total.count > limits.maximumCount ?? .max
    }

    /// Whether to count again: entries were never counted, have expired, or exceed a limit by what was written; or as
    /// much was written as a quarter of the room that is left, and at least a sixteenth of a limit, so that other
    /// processes, which may have written as much, must be taken into account.
    func needsCount(_ limits: DiskCache.Limits, now: Double) -> Bool {
        let countLimit = limits.maximumCount ?? .max
        return !isCounted || limits.isExpired(oldestWrite, now: now) || written.count > 0 && isOver(limits)
            || written.bytes > max(Int64(limits.maximumBytes) / 16, (Int64(limits.maximumBytes) - total.bytes) / 4)
            || written.count > max(countLimit / 16, (countLimit - total.count) / 4)
    }

    /// The entries to evict so that the limits hold, the least recently used first, until a share of the exceeded limit
    /// is free. The most recently used entry stays.
    static func evictions(from uses: [Use], limits: DiskCache.Limits) -> [Use] {
        var total = Totals()
        for use in uses { total += Totals(count: 1, bytes: use.bytes) }
        let (byteLimit, countLimit) = (Int64(limits.maximumBytes), limits.maximumCount ?? .max)
        let keep = 1 - limits.freedShare
        let byteGoal = total.bytes > byteLimit ? Int64((Double(byteLimit) * keep).rounded(.down)) : .max
        let countGoal = total.count > countLimit ? Int((Double(countLimit) * keep).rounded()) : .max
        var evicted: [Use] = []
        for use in uses.sorted(by: { $0.lastUse < $1.lastUse }) where total.bytes > byteGoal || total.count > countGoal {
            if total.count == 1, total.bytes <= byteLimit, countLimit >= 1 { break }
            evicted.append(use)
            total -= Totals(count: 1, bytes: use.bytes)
        }
        return evicted
    }
}
