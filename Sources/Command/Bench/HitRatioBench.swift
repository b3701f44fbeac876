internal import ImageCaching
internal import ImageCore

internal import CalotypeSystem

/// Misses of the memory cache on seeded traces, beside exact LRU and CLOCK on the same.
struct HitRatioBench {
    let effort: BenchmarkEffort

    struct Trace {
        var name: String
        var capacity: Int
        var keys: [Int32]
        /// What CLOCK's hit ratio is to be surpassed by, where there is such a demand.
        var gainOverClock: Double?
    }

    func rows() throws -> [BenchmarkRow] {
        let image = try BenchmarkPictures.smallest()
        let names = (0..<Int32(2 * items)).map { ImageKey(resource: ResourceKey("https://example.org/\($0).jpg")) }
        return traces.flatMap { trace -> [BenchmarkRow] in
            effort.tell("hit ratio: \(trace.name)")
            let own = missRatio(of: trace, image: image, names: names)
            let clock = clockMissRatio(trace)
            let reach = trace.gainOverClock.map { 1 - $0 / clock } ?? 1
            return [
                row(trace, own, BenchmarkRow.Peer(name: "LRU", value: lruMissRatio(trace), ranHere: true, reach: 1)),
                row(trace, own, BenchmarkRow.Peer(name: "CLOCK", value: clock, ranHere: true, reach: reach)),
            ]
        }
    }

    private func row(_ trace: Trace, _ own: Double, _ peer: BenchmarkRow.Peer) -> BenchmarkRow {
        BenchmarkRow(suite: "cache", name: "misses: \(trace.name)", median: own, unit: "of all", peer: peer)
    }

    private var items: Int { effort.scaled(100_000) }
    private var accesses: Int { effort.scaled(1_000_000) }

    private func missRatio(of trace: Trace, image: DecodedImage, names: [ImageKey]) -> Double {
        let cache = MemoryCache(limits: .init(count: trace.capacity))
        for key in trace.keys where cache.image(for: names[Int(key)]) == nil { cache.store(image, for: names[Int(key)]) }
        return 1 - (cache.statistics.hitRatio ?? 0)
    }
}

// The traces. Keys below the number of items; what is never repeated has keys above.
extension HitRatioBench {
    private var traces: [Trace] {
        var result: [Trace] = []
        for alpha in [0.9, 0.95, 1.0] {
            let keys = zipf(alpha)
            for percent in [1, 5, 10] {
                result.append(
                    Trace(
                        name: "Zipf \(alpha), \(percent) %", capacity: items * percent / 100, keys: keys,
                        gainOverClock: alpha == 0.9 && percent == 1 ? 0.04 : nil))
            }
            result.append(Trace(name: "Zipf \(alpha), every fifth new, 5 %", capacity: items / 20, keys: withNewKeys(keys)))
        }
        let room = items / 20
        result += [
            Trace(name: "scan", capacity: room, keys: (0..<Int32(2 * items)).map { $0 }),
            Trace(name: "loop a fifth too large", capacity: room, keys: loop(room * 6 / 5)),
            Trace(name: "loop twice too large", capacity: room, keys: loop(room * 2)),
            Trace(name: "loop that fits", capacity: room, keys: loop(room * 24 / 25)),
            Trace(name: "Zipf, scans and loops", capacity: room, keys: mixed(room)),
            Trace(name: "scrolling back and forth", capacity: room, keys: walk(reach: room * 2, step: room / 5)),
            Trace(name: "a window that moves on", capacity: room, keys: slide(room)),
            Trace(name: "the last used first", capacity: room, keys: stack(room * 3 / 2)),
            Trace(name: "scrolling, then Zipf, again and again", capacity: room, keys: alternating(room)),
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
        var random = SeededGenerator(seed: 42)
        return (0..<accesses).map { _ in
            let wanted = random.unit() * sum
            var (low, high) = (0, items - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] < wanted { low = middle + 1 } else { high = middle }
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

    /// A list that is scrolled up and down by random distances.
    private func walk(reach: Int, step: Int) -> [Int32] {
        var random = SeededGenerator(seed: 7)
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

    /// Random accesses to a window as large as the room, which moves on by one with every tenth.
    private func slide(_ room: Int) -> [Int32] {
        var random = SeededGenerator(seed: 8)
        return (0..<accesses).map { Int32(($0 / 10 + Int.random(in: 0..<room, using: &random)) % items) }
    }

    /// What was used lately is used again, the more likely the later: depths in the stack of uses are squares.
    private func stack(_ depth: Int) -> [Int32] {
        var random = SeededGenerator(seed: 9)
        var history = (0..<Int32(depth)).map { $0 }
        for _ in history.count..<accesses {
            let back = Int(random.unit() * random.unit() * Double(depth))
            history.append(history[history.count - 1 - back])
            if random.unit() < 0.2 { history[history.count - 1] = Int32(Int.random(in: 0..<items, using: &random)) }
        }
        return history
    }

    private func alternating(_ room: Int) -> [Int32] {
        let (scrolling, favourites) = (walk(reach: room * 2, step: room / 5), zipf(0.9))
        return (0..<accesses).map { $0 / (20 * room) % 2 == 0 ? scrolling[$0] : favourites[$0] }
    }
}

// The peers: exact, over numbers.
extension HitRatioBench {
    private func lruMissRatio(_ trace: Trace) -> Double {
        let limit = 2 * items
        var (older, newer) = ([Int32](repeating: -1, count: limit), [Int32](repeating: -1, count: limit))
        var isHeld = [Bool](repeating: false, count: limit)
        var (oldest, newest, count, misses) = (Int32(-1), Int32(-1), 0, 0)
        func unlink(_ key: Int32) {
            let (before, after) = (older[Int(key)], newer[Int(key)])
            if before >= 0 { newer[Int(before)] = after } else { oldest = after }
            if after >= 0 { older[Int(after)] = before } else { newest = before }
        }
        for key in trace.keys {
            if isHeld[Int(key)] {
                unlink(key)
            } else {
                misses += 1
                if count == trace.capacity {
                    isHeld[Int(oldest)] = false
                    unlink(oldest)
                } else {
                    count += 1
                }
            }
            isHeld[Int(key)] = true
            (older[Int(key)], newer[Int(key)]) = (newest, -1)
            if newest >= 0 { newer[Int(newest)] = key } else { oldest = key }
            newest = key
        }
        return Double(misses) / Double(trace.keys.count)
    }

    private func clockMissRatio(_ trace: Trace) -> Double {
        var ring: [Int32] = []
        var place = [Int32](repeating: -1, count: 2 * items)
        var isUsed = [Bool](repeating: false, count: trace.capacity)
        var (hand, misses) = (0, 0)
        for key in trace.keys {
            if place[Int(key)] >= 0 {
                isUsed[Int(place[Int(key)])] = true
                continue
            }
            misses += 1
            guard ring.count == trace.capacity else {
                place[Int(key)] = Int32(ring.count)
                ring.append(key)
                continue
            }
            while isUsed[hand] {
                isUsed[hand] = false
                hand = (hand + 1) % ring.count
            }
            place[Int(ring[hand])] = -1
            ring[hand] = key
            place[Int(key)] = Int32(hand)
            hand = (hand + 1) % ring.count
        }
        return Double(misses) / Double(trace.keys.count)
    }
}
