/// The order in which a cache evicts its entries, by S3-FIFO (Yang, Zhang, Qiu, Yue, Rashmi, "FIFO queues are all you
/// need for cache eviction", SOSP 2023). A value over keys and costs.
///
/// - A new key enters the **small** queue, which has a tenth of the cost. At its end, a key that was used more than
///   once moves to the main queue. Any other is evicted, and the ghost queue remembers it.
/// - At the end of the **main** queue, a key that was used returns to the start, with a frequency that is lower by one.
///   Any other is evicted.
/// - A key that returns while the **ghost** queue remembers it enters the main queue.
///
/// A scan, which uses each key once, passes through the small queue and evicts nothing from the main queue.
struct S3FIFO<Key: Hashable & Sendable>: Sendable {
    private var small = KeyQueue<Key>()
    private var main = KeyQueue<Key>()
    /// The hashes of evicted keys, since a key may be a long URL.
    private var ghost = KeyQueue<Int>()
    /// The number of uses of each key, at most three.
    private var frequencies: [Key: Int] = [:]

    var cost: Int { small.cost + main.cost }

    /// Counts a use of a key, which must be there.
    mutating func use(_ key: Key) { frequencies[key] = min(3, frequencies[key, default: 0] + 1) }

    /// Adds a key, which must not be there.
    mutating func insert(_ key: Key, cost: Int) {
        if ghost.remove(key.hashValue) { main.append(key, cost: cost) } else { small.append(key, cost: cost) }
    }

    mutating func remove(_ key: Key) {
        if !small.remove(key) { _ = main.remove(key) }
        frequencies[key] = nil
    }

    /// Removes the next key to evict, and returns it; `nil` if there is none.
    mutating func evict() -> Key? {
        while true {
            if small.cost >= cost / 10, let (key, cost) = small.popFirst() {
                guard frequencies.removeValue(forKey: key) ?? 0 > 1 else {
                    remember(key.hashValue)
                    return key
                }
                main.append(key, cost: cost)
            } else {
                guard let (key, cost) = main.popFirst() else { return nil }
                guard let frequency = frequencies.removeValue(forKey: key) else { return key }
                frequencies[key] = frequency > 1 ? frequency - 1 : nil
                main.append(key, cost: cost)
            }
        }
    }

    /// Adds a key to the ghost queue, which holds as many as the main queue does when it has nine tenths of the keys.
    private mutating func remember(_ hash: Int) {
        ghost.append(hash, cost: 1)
        while ghost.count > max(1, (small.count + main.count) * 9 / 10) { _ = ghost.popFirst() }
    }
}

/// A queue of different keys, any of which can be removed.
private struct KeyQueue<Key: Hashable & Sendable>: Sendable {
    private var keys: [Int: (key: Key, cost: Int)] = [:]
    private var numbers: [Key: Int] = [:]
    private var (first, next) = (0, 0)
    private(set) var cost = 0

    var count: Int { numbers.count }

    mutating func append(_ key: Key, cost: Int) {
        keys[next] = (key, cost)
        numbers[key] = next
        next += 1
        self.cost += cost
    }

    mutating func popFirst() -> (key: Key, cost: Int)? {
        while first < next {
            defer { first += 1 }
            if let entry = keys[first], remove(entry.key) { return entry }
        }
        return nil
    }

    /// Removes a key, and returns whether it was there.
    mutating func remove(_ key: Key) -> Bool {
        guard let entry = numbers.removeValue(forKey: key).flatMap({ keys.removeValue(forKey: $0) }) else { return false }
        cost -= entry.cost
        return true
    }
}
