import CalotypeTesting
import ImageCore
import Testing

@testable import ImageCaching

/// Hit ratios on seeded traces of accesses to images of one size, compared with exact LRU.
@Suite struct EvictionTests {
    struct Trace: CustomTestStringConvertible, Sendable {
        var name: String
        var capacity: Int
        /// The required advantage over the hit ratio of LRU.
        var gain: Double
        var keys: @Sendable () -> [Int]
        var testDescription: String { "\(name), \(capacity)" }
    }

    static let traces = [
        Trace(name: "Zipf 0.9, 1 %", capacity: 100, gain: 0.05) { zipf(10_000, 0.9, count: 100_000) },
        Trace(name: "Zipf 0.9, 10 %", capacity: 1_000, gain: 0.03) { zipf(10_000, 0.9, count: 100_000) },
        Trace(name: "Zipf 1.0, 5 %", capacity: 500, gain: 0.03) { zipf(10_000, 1.0, count: 100_000) },
        Trace(name: "one new key in four", capacity: 500, gain: 0.05) {
            zipf(10_000, 0.9, count: 100_000).enumerated().map { $0 % 4 == 3 ? 1_000_000 + $0 : $1 }
        },
        Trace(name: "scan", capacity: 500, gain: 0) { Array(0..<50_000) },
        Trace(name: "loop a fifth too large", capacity: 500, gain: 0.02) { (0..<60_000).map { $0 % 600 } },
        Trace(name: "loop that fits", capacity: 500, gain: 0) { (0..<60_000).map { $0 % 480 } },
        Trace(name: "Zipf, scans and loops", capacity: 500, gain: 0.01) {
            let base = zipf(5_000, 0.9, count: 60_000)
            return (0..<100_000).map { i in
                switch i % 3_100 {
                case ..<2_000: base[i % base.count]
                case ..<2_500: 1_000_000 + i
                default: 2_000_000 + i % 300
                }
            }
        },
        Trace(name: "scrolling back and forth", capacity: 500, gain: 0) { walk(reach: 1_000, step: 100) },
        Trace(name: "scrolling far", capacity: 500, gain: 0) { walk(reach: 5_000, step: 500) },
        Trace(name: "a window that moves on", capacity: 500, gain: 0) {
            var random = Xorshift()
            return (0..<100_000).map { $0 / 10 + Int(random.next() % 500) }
        },
    ]

    /// A list that is scrolled up and down by random distances.
    private static func walk(reach: Int, step: Int) -> [Int] {
        var random = Xorshift()
        var (keys, place): ([Int], Int) = ([], 0)
        while keys.count < 100_000 {
            let target = min(max(0, place + Int(random.next() % UInt64(2 * step + 1)) - step), reach - 1)
            while place != target {
                place += target < place ? -1 : 1
                keys.append(place)
            }
        }
        return keys
    }

    private struct Xorshift {
        private var state: UInt64 = 42

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state >> 11
        }
    }

    @Test(arguments: traces)
    func theHitRatioIsNeverBelowThatOfLRU(trace: Trace) throws {
        let keys = trace.keys()
        let ratio = try hitRatio(of: keys, capacity: trace.capacity)
        let least = leastRecentlyUsedRatio(of: keys, capacity: trace.capacity) + trace.gain
        #expect(ratio >= least, "\(ratio) against \(least)")
    }

    /// A key with the same hash in each process, since the hash decides which keys are sampled.
    private static func imageKey(_ number: Int) -> ImageKey {
        var random = SeededGenerator(seed: UInt64(number))
        return ImageKey(resource: ResourceKey("\(number)", hash: Int(truncatingIfNeeded: random.next())))
    }

    private func hitRatio(of keys: [Int], capacity: Int) throws -> Double {
        let cache = MemoryCache(limits: .init(maximumBytes: capacity * testImageCost), respondsToPressure: false)
        let image = try testImage()
        var names: [Int: ImageKey] = [:]
        for key in keys {
            let name = names[key] ?? Self.imageKey(key)
            names[key] = name
            if cache.image(for: name) == nil { cache.store(image, for: name) }
        }
        #expect(cache.statistics.count <= capacity)
        return cache.statistics.hitRatio ?? 0
    }

    private func leastRecentlyUsedRatio(of keys: [Int], capacity: Int) -> Double {
        var lastUse: [Int: Int] = [:]
        var order: [Int: Int] = [:]
        var oldest = 0
        var hits = 0
        for (time, key) in keys.enumerated() {
            if let last = lastUse[key] {
                hits += 1
                order[last] = nil
            } else if lastUse.count == capacity {
                while order[oldest] == nil { oldest += 1 }
                if let victim = order.removeValue(forKey: oldest) { lastUse[victim] = nil }
            }
            lastUse[key] = time
            order[time] = key
        }
        return Double(hits) / Double(keys.count)
    }

    /// Keys 0..<items; the frequency of key k is proportional to 1/(k+1)^alpha.
    private static func zipf(_ items: Int, _ alpha: Double, count: Int) -> [Int] {
        var sums: [Double] = []
        var sum = 0.0
        for i in 1...items {
            sum += 1 / power(Double(i), alpha)
            sums.append(sum)
        }
        var state: UInt64 = 42
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            let wanted = Double(state >> 11) / 9_007_199_254_740_992 * sum
            var (low, high) = (0, items - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] < wanted { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// x^0.9, x^0.95 or x by square roots: x · x^(-1/8) · x^(1/40) is close enough to x^0.9 for a test.
    private static func power(_ x: Double, _ alpha: Double) -> Double {
        guard alpha < 1 else { return x }
        let eighth = x.squareRoot().squareRoot().squareRoot()
        return x / eighth * eighth.squareRoot().squareRoot().squareRoot()
    }
}
