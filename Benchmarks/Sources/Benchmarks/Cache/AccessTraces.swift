internal import CalotypeTesting
internal import Foundation

/// A sequence of accesses to a cache of `capacity` entries.
struct AccessTrace {
    let name: String
    let capacity: Int
    /// The numbers of the keys, below twice the number of items.
    let keys: [Int32]
    /// The hit ratio that the budget requires, if it names one.
    var requiredHitRatio: Double?
}

/// Seeded traces. Keys from `items` on are of images that are used once.
struct AccessTraces {
    let items: Int
    let accesses: Int
    /// The seed of the run. Each trace adds a number to it.
    let seed: UInt64

    var all: [AccessTrace] {
        var result: [AccessTrace] = []
        for alpha in [0.9, 0.95, 1.0] {
            let keys = zipf(alpha)
            for percent in [1, 5, 10] {
                result.append(
                    AccessTrace(
                        name: "Zipf \(alpha), \(percent) %", capacity: items * percent / 100, keys: keys,
                        requiredHitRatio: alpha == 0.9 && percent == 1 && items == 100_000 ? 0.42 : nil))
            }
            result.append(AccessTrace(name: "Zipf \(alpha), every fifth new, 5 %", capacity: items / 20, keys: withNewKeys(keys)))
        }
        let room = items / 20
        result += [
            AccessTrace(name: "scan", capacity: room, keys: (0..<Int32(2 * items)).map { $0 }),
            AccessTrace(name: "loop a fifth too large", capacity: room, keys: loop(room * 6 / 5)),
            AccessTrace(name: "loop twice too large", capacity: room, keys: loop(room * 2)),
            AccessTrace(name: "loop that fits", capacity: room, keys: loop(room * 24 / 25)),
            AccessTrace(name: "Zipf, scans and loops", capacity: room, keys: mixed(room)),
            AccessTrace(name: "scrolling back and forth", capacity: room, keys: walk(reach: room * 2, step: room / 5)),
            AccessTrace(name: "a window that moves on", capacity: room, keys: slide(room)),
            AccessTrace(name: "the last used first", capacity: room, keys: stack(room * 3 / 2)),
            AccessTrace(name: "scrolling, then Zipf, again and again", capacity: room, keys: alternating(room)),
        ]
        return result
    }

    private func zipf(_ alpha: Double) -> [Int32] {
        var sums: [Double] = []
        var sum = 0.0
        for i in 1...items {
            sum += 1 / pow(Double(i), alpha)
            sums.append(sum)
        }
        var random = SeededGenerator(seed: seed &+ 41)
        return (0..<accesses).map { _ in
            let target = random.fraction() * sum
            var (low, high) = (0, items - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] < target { low = middle + 1 } else { high = middle }
            }
            return Int32(low)
        }
    }

    private func withNewKeys(_ keys: [Int32]) -> [Int32] {
        var new = Int32(items)
        return keys.indices.map { i in
            guard i % 5 == 4 else { return keys[i] }
            new = new + 1 < Int32(2 * items) ? new + 1 : Int32(items)
            return new
        }
    }

    private func loop(_ length: Int) -> [Int32] { (0..<accesses).map { Int32($0 % length) } }

    private func mixed(_ room: Int) -> [Int32] {
        let base = zipf(0.9)
        var new = Int32(items)
        return (0..<accesses).map { i in
            switch i % (6 * room) {
            case ..<(4 * room): return base[i]
            case ..<(5 * room):
                new = new + 1 < Int32(2 * items) ? new + 1 : Int32(items)
                return new
            default: return Int32(items - 1 - i % (room * 3 / 5))
            }
        }
    }

    /// A list that scrolls up and down by random distances.
    private func walk(reach: Int, step: Int) -> [Int32] {
        var random = SeededGenerator(seed: seed &+ 6)
        var keys: [Int32] = []
        var place = 0
        while keys.count < accesses {
            let target = min(max(0, place + Int.random(in: -step...step, using: &random)), reach - 1)
            let direction = target < place ? -1 : 1
            while place != target, keys.count < accesses {
                place += direction
                keys.append(Int32(place))
            }
        }
        return keys
    }

    /// Random accesses to a window as large as the cache, which moves by one after every ten accesses.
    private func slide(_ room: Int) -> [Int32] {
        var random = SeededGenerator(seed: seed &+ 7)
        return (0..<accesses).map { Int32(($0 / 10 + Int.random(in: 0..<room, using: &random)) % items) }
    }

    /// Uses recent keys again, the most recent most often: the depth in the stack of uses is a square.
    private func stack(_ depth: Int) -> [Int32] {
        var random = SeededGenerator(seed: seed &+ 8)
        var history = (0..<Int32(depth)).map { $0 }
        for _ in history.count..<accesses {
            let back = Int(random.fraction() * random.fraction() * Double(depth))
            history.append(history[history.count - 1 - back])
            if random.fraction() < 0.2 { history[history.count - 1] = Int32(Int.random(in: 0..<items, using: &random)) }
        }
        return history
    }

    private func alternating(_ room: Int) -> [Int32] {
        let (scrolling, favourites) = (walk(reach: room * 2, step: room / 5), zipf(0.9))
        return (0..<accesses).map { $0 / (20 * room) % 2 == 0 ? scrolling[$0] : favourites[$0] }
    }
}

extension SeededGenerator {
    /// Returns a number from 0 up to 1, exclusive.
    fileprivate mutating func fraction() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}
