internal import DequeModule
internal import HeapModule

/// The order in which a memory cache evicts its entries, by one of two policies. A value over entry numbers.
///
/// A use of an entry does not change the order: the cache stores the time in the entry, and the order asks for it when
/// it evicts. So hits need no shared lock. New entries wait in a probation queue; those that have been used move to the
/// main part, a heap by the time of the last use. A policy only decides which of the two parts gives the next
/// candidate, so a change of policy moves no entry.
struct EvictionOrder: Sendable {
    enum Policy: Hashable, Sendable {
        /// Evicts the least recently used entry.
        case lru
        /// Evicts entries first that were not used on probation: scans do not push out entries that are used
        /// repeatedly.
        ///
        /// After 2Q (Johnson, Shasha, "2Q: a low overhead high performance buffer management replacement algorithm",
        /// VLDB 1994), with the small queue of S3-FIFO (Yang, Zhang, Qiu, Yue, Rashmi, "FIFO queues are all you need
        /// for cache eviction", SOSP 2023). A key that returns soon after its eviction from the probation queue is
        /// added to the main part.
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
    }

    /// An entry in one of the parts. It is outdated, and ignored, once the entry was removed or used later.
    private struct Candidate: Comparable, Sendable {
        var lastUse: Int64
        var id: Int

        static func < (a: Self, b: Self) -> Bool { a.lastUse < b.lastUse }
    }

    /// The share of the total cost that the probation queue keeps under ``Policy/twoQueues``.
    private static let probationShare = 0.1

    var policy: Policy
    private(set) var cost = 0
    private(set) var count = 0
    /// The entries by number.
    private var entries: [Entry] = []
    private var probationCost = 0
    private var probationCount = 0
    /// In the order of insertion.
    private var probation = Deque<Candidate>()
    private var main = Heap<Candidate>()
    private var ghosts = GhostQueue()

    init(_ policy: Policy = .lru) { self.policy = policy }

    /// Adds an entry as the newest.
    ///
    /// - Parameters:
    ///   - hash: the hash of the key, which recognises the key when it returns.
    ///   - time: the number of the insert among the uses of all entries.
    mutating func insert(_ id: Int, hash: Int, cost: Int, at time: Int64) {
        while entries.count <= id { entries.append(Entry()) }
        entries[id] = Entry(cost: cost, hash: hash, lastUse: time)
        self.cost += cost
        count += 1
        if policy == .twoQueues, ghosts.remove(hash) { addToMain(id) } else { addToProbation(id) }
    }

    mutating func remove(_ id: Int) {
        cost -= entries[id].cost
        count -= 1
        leavePart(id)
    }

    /// Removes the next entry to evict and returns its number; `nil` if there is none.
    ///
    /// - Parameter laterUse: returns the time of an entry's last use if that is later than `known`; `nil` for an entry
    ///   that is evicted.
    mutating func evict(laterUse: (_ id: Int, _ known: Int64) -> Int64?) -> Int? {
        while let id = nextCandidate() {
            if let used = laterUse(id, entries[id].lastUse) {
                leavePart(id)
                entries[id].lastUse = used
                addToMain(id)
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

    private mutating func nextCandidate() -> Int? {
        while let first = main.min, !isCurrent(first, in: .main) { main.removeMin() }
        while let first = probation.first, !isCurrent(first, in: .probation) { probation.removeFirst() }
        guard let oldest = probation.first, let leastUsed = main.min else { return (probation.first ?? main.min)?.id }
        let isProbationNext =
            switch policy {
            case .lru: oldest.lastUse < leastUsed.lastUse
            case .twoQueues: Double(probationCost) >= Double(cost) * Self.probationShare
            }
        return isProbationNext ? oldest.id : leastUsed.id
    }

    private func isCurrent(_ candidate: Candidate, in part: Part) -> Bool {
        entries[candidate.id].part == part && entries[candidate.id].lastUse == candidate.lastUse
    }

    private mutating func addToMain(_ id: Int) {
        entries[id].part = .main
        main.insert(Candidate(lastUse: entries[id].lastUse, id: id))
        // Outdated candidates must not accumulate.
        if main.count > 2 * (count - probationCount) + 64 { main = Heap(main.unordered.filter { isCurrent($0, in: .main) }) }
    }

    private mutating func addToProbation(_ id: Int) {
        entries[id].part = .probation
        probationCost += entries[id].cost
        probationCount += 1
        probation.append(Candidate(lastUse: entries[id].lastUse, id: id))
        if probation.count > 2 * probationCount + 64 { probation = Deque(probation.filter { isCurrent($0, in: .probation) }) }
    }

    private mutating func leavePart(_ id: Int) {
        if entries[id].part == .probation {
            probationCost -= entries[id].cost
            probationCount -= 1
        }
        entries[id].part = .none
    }
}

/// The hashes of the keys that were evicted last.
private struct GhostQueue: Sendable {
    /// The number of each hash's eviction. Hashes before the last `capacity` are removed from time to time.
    private var numbers: [Int: Int] = [:]
    private var lastNumber = 0
    private var capacity = 0

    mutating func insert(_ hash: Int, capacity: Int) {
        self.capacity = max(1, capacity)
        lastNumber += 1
        numbers[hash] = lastNumber
        if numbers.count > 2 * self.capacity + 64 { numbers = numbers.filter { isRecent($0.value) } }
    }

    /// Removes a hash, and returns whether it is one of the last `capacity`.
    mutating func remove(_ hash: Int) -> Bool {
        guard let number = numbers.removeValue(forKey: hash) else { return false }
        return isRecent(number)
    }

    private func isRecent(_ number: Int) -> Bool { lastNumber - number < capacity }
}
