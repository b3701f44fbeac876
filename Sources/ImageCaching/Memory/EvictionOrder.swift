internal import HeapModule

/// The order in which a memory cache evicts its entries, by one of two policies. A value over entry numbers.
///
/// A use of an entry does not change the order: the cache stores the time in the entry, and the order asks for it when it evicts. So
/// hits need no shared lock. New entries wait in a probation queue; those that have been used move to the main part, a heap by the
/// time of the last use. A policy only decides which of the two parts gives the next candidate, so a change of policy moves no
/// entry.
struct EvictionOrder: Sendable {
    enum Policy: Hashable, Sendable {
        /// Evicts the least recently used entry.
        case lru
        /// Evicts entries first that were not used on probation: scans do not push out entries that are used repeatedly.
        ///
        /// After 2Q (Johnson, Shasha, "2Q: a low overhead high performance buffer management replacement algorithm", VLDB
        /// 1994), with the small queue of S3-FIFO (Yang, Zhang, Qiu, Yue, Rashmi, "FIFO queues are all you need for cache
        /// eviction", SOSP 2023). A key that returns soon after its eviction from the probation queue is added to the main part.
        case twoQueues
    }

    private enum Part: Sendable {
        case none, probation, main
    }

    private struct Entry: Sendable {
        var cost = 0
        var hash = 0
        /// The last use when the order last asked for it.
        var lastUse: Int64 = 0
        var part = Part.none
        /// Neighbours in the probation queue; -1 for none.
        var older: Int32 = -1
        var newer: Int32 = -1
    }

    private struct Candidate: Comparable, Sendable {
        var lastUse: Int64
        var id: Int32

        static func < (a: Self, b: Self) -> Bool { a.lastUse < b.lastUse }
    }

    /// The share of the total cost that the probation queue keeps under ``Policy/twoQueues``.
    private static let probationShare = 0.1

    var policy: Policy
    private(set) var cost = 0
    private(set) var count = 0
    /// The entries by number.
    private var entries: [Entry] = []
    private var oldest: Int32 = -1
    private var newest: Int32 = -1
    private var probationCost = 0
    private var probationCount = 0
    /// May contain outdated candidates, whose entries were removed or used later.
    private var main = Heap<Candidate>()
    private var ghosts = GhostQueue()

    init(_ policy: Policy = .lru) { self.policy = policy }

    /// Adds an entry as the newest.
    ///
    /// - Parameters:
    ///   - hash: the hash of the key, which recognises the key when it returns.
    ///   - time: now, on any clock.
    mutating func insert(_ id: Int, hash: Int, cost: Int, at time: Int64) {
        while entries.count <= id { entries.append(Entry()) }
        entries[id] = Entry(cost: cost, hash: hash, lastUse: time)
        self.cost += cost
        count += 1
        if policy == .twoQueues, ghosts.remove(hash) { addToMain(Int32(id)) } else { addToProbation(Int32(id)) }
    }

    mutating func remove(_ id: Int) {
        cost -= entries[id].cost
        count -= 1
        if entries[id].part == .probation { removeFromProbation(Int32(id)) }
        entries[id].part = .none
    }

    /// Removes the next entry to evict and returns its number; `nil` if there is none.
    ///
    /// - Parameter lastUse: returns the time of an entry's last use.
    mutating func evict(lastUse: (_ id: Int) -> Int64) -> Int? {
        while let candidate = nextCandidate() {
            let (id, used) = (Int(candidate), lastUse(Int(candidate)))
            guard used <= entries[id].lastUse else {
                if entries[id].part == .probation { removeFromProbation(candidate) }
                entries[id].lastUse = used
                addToMain(candidate)
                continue
            }
            if policy == .twoQueues, entries[id].part == .probation {
                ghosts.insert(entries[id].hash, capacity: Int(Double(count) * (1 - Self.probationShare)))
            }
            remove(id)
            return id
        }
        return nil
    }

    private mutating func nextCandidate() -> Int32? {
        while let first = main.min, !isCurrent(first) { main.removeMin() }
        guard let first = main.min else { return oldest < 0 ? nil : oldest }
        guard oldest >= 0 else { return first.id }
        let isProbationNext =
            switch policy {
            case .lru: entries[Int(oldest)].lastUse < first.lastUse
            case .twoQueues: Double(probationCost) >= Double(cost) * Self.probationShare
            }
        return isProbationNext ? oldest : first.id
    }

    private func isCurrent(_ candidate: Candidate) -> Bool {
        let entry = entries[Int(candidate.id)]
        return entry.part == .main && entry.lastUse == candidate.lastUse
    }

    private mutating func addToMain(_ id: Int32) {
        entries[Int(id)].part = .main
        main.insert(Candidate(lastUse: entries[Int(id)].lastUse, id: id))
        // Outdated candidates must not accumulate.
        if main.count > 2 * (count - probationCount) + 64 { main = Heap(main.unordered.filter(isCurrent)) }
    }

    private mutating func addToProbation(_ id: Int32) {
        entries[Int(id)].part = .probation
        entries[Int(id)].older = newest
        if newest >= 0 { entries[Int(newest)].newer = id } else { oldest = id }
        newest = id
        probationCost += entries[Int(id)].cost
        probationCount += 1
    }

    private mutating func removeFromProbation(_ id: Int32) {
        let (older, newer) = (entries[Int(id)].older, entries[Int(id)].newer)
        if older >= 0 { entries[Int(older)].newer = newer } else { oldest = newer }
        if newer >= 0 { entries[Int(newer)].older = older } else { newest = older }
        probationCost -= entries[Int(id)].cost
        probationCount -= 1
    }
}

/// The hashes of the keys that were evicted last. A newer hash may overwrite an older one.
private struct GhostQueue: Sendable {
    private struct Ghost: Sendable {
        var hash = 0
        /// The number of the eviction; 0 for none.
        var number = 0
    }

    private var slots: [Ghost] = []
    private var lastNumber = 0
    private var capacity = 0

    mutating func insert(_ hash: Int, capacity: Int) {
        self.capacity = max(1, capacity)
        if slots.count < 2 * self.capacity {
            slots = Array(repeating: Ghost(), count: 1 << (Int.bitWidth - (4 * self.capacity).leadingZeroBitCount))
        }
        lastNumber += 1
        slots[slot(of: hash)] = Ghost(hash: hash, number: lastNumber)
    }

    /// Removes a hash, and returns whether it is one of the last `capacity`.
    mutating func remove(_ hash: Int) -> Bool {
        guard !slots.isEmpty else { return false }
        let ghost = slots[slot(of: hash)]
        guard ghost.hash == hash, ghost.number > 0, lastNumber - ghost.number < capacity else { return false }
        slots[slot(of: hash)] = Ghost()
        return true
    }

    private func slot(of hash: Int) -> Int { (hash ^ hash >> 32) & (slots.count - 1) }
}
