internal import CalotypeSystem
internal import Dispatch
internal import ImageCaching
internal import ImageCore

extension BenchmarkSuite {
    /// The memory cache and the disk cache, each by itself.
    static let cache = BenchmarkSuite(name: "cache", about: "hits, misses, inserts, hit ratios; files on disk") { effort in
        let memory = MemoryCacheBench(effort: effort)
        return try await memory.rows() + HitRatioBench(effort: effort).rows() + DiskCacheBench(effort: effort).rows()
    }
}

/// What the calls of the memory cache cost, with 10,000 entries. By the clock on the wall: two threads at once take, per
/// call, the time until both are done over the calls of both.
private struct MemoryCacheBench {
    private static let entryCount = 10_000

    let effort: BenchmarkEffort
    /// A machine that runs short of memory must not turn hits into misses.
    private let cache = MemoryCache(limits: .init(count: Self.entryCount), trimPolicy: .none)

    init(effort: BenchmarkEffort) { self.effort = effort }

    func rows() async throws -> [BenchmarkRow] {
        // An image of its own for each key: else all hits would count references in one place.
        for key in Self.keys(0..<Self.entryCount) { cache.store(try BenchmarkPictures.smallest(), for: key) }
        effort.tell("memory cache: hits")
        let hit = await hits(threads: 1)
        let twoHits = await hits(threads: 2)
        let sameHit = await hitsOfOneKey(threads: 2)
        effort.tell("memory cache: misses")
        let miss = await misses(threads: 1)
        let twoMisses = await misses(threads: 2)
        effort.tell("memory cache: inserts")
        let insert = try await inserts(threads: 1)
        let twoInserts = try await inserts(threads: 2)
        return [
            row("memory hit", hit, nuke: 110, reach: 60 / 110),
            row("memory hit, two threads", twoHits, here: ("one thread", hit), reach: 1 / 1.6),
            row("memory hit, two threads, one key", sameHit),
            row("memory miss", miss, here: ("memory hit", hit), reach: 1),
            row("memory miss, two threads", twoMisses),
            row("memory insert with eviction", insert, nuke: 399, reach: 200 / 399),
            row("memory insert with eviction, two threads", twoInserts),
        ]
    }

    /// Nanoseconds per hit of keys in random order.
    private func hits(threads: Int) async -> Double {
        await median(threads, 1_000_000) { thread in
            // Keys of its own for each thread, as requests have them.
            var random = SeededGenerator(seed: UInt64(thread + 1))
            return Self.keys((0..<Self.entryCount).shuffled(using: &random))
        } call: { [cache] key in
            precondition(cache.image(for: key) != nil, "every one is a hit")
        }
    }

    /// The same where all threads want one picture: they share its count of references, and its entry.
    private func hitsOfOneKey(threads: Int) async -> Double {
        await median(threads, 1_000_000) { _ in
            Self.keys(repeatElement(0, count: Self.entryCount))
        } call: { [cache] key in
            precondition(cache.image(for: key) != nil, "every one is a hit")
        }
    }

    private func misses(threads: Int) async -> Double {
        await median(threads, 1_000_000) { thread in
            Self.keys((thread + 1) * Self.entryCount..<(thread + 2) * Self.entryCount)
        } call: { [cache] key in
            precondition(cache.image(for: key) == nil, "every one is a miss")
        }
    }

    /// Nanoseconds per insert of a new key; each pushes another entry out.
    private func inserts(threads: Int) async throws -> Double {
        let image = try BenchmarkPictures.smallest()
        return await median(threads, 200_000) { thread in
            // Used in turn, each comes back long after it left.
            let first = 1_000_000 * (thread + 1)
            return Self.keys(first..<first + 4 * Self.entryCount)
        } call: { [cache] key in
            cache.store(image, for: key)
        }
    }

    /// Nanoseconds per call, one with each key in turn, where each thread makes so many in all.
    private func median(
        _ threads: Int, _ count: Int, keys: (_ thread: Int) -> [ImageKey], call: @escaping @Sendable (ImageKey) -> Void
    ) async -> Double {
        let held = (0..<threads).map { keys($0).map(HeldKey.init) }
        let lent = unsafe held.map { unsafe $0.map { unsafe Unmanaged.passUnretained($0) } }
        let rounds = max(1, effort.scaled(count) / held[0].count)
        defer { withExtendedLifetime(held) {} }
        let clock = ContinuousClock()
        return await effort.median {
            let (gate, group) = (DispatchSemaphore(value: 0), DispatchGroup())
            // Threads of their own: a queue's pool may well give one to all of the work.
            for thread in 0..<threads {
                group.enter()
                let isStarted = DetachedThread.start {
                    gate.wait()
                    let keys = unsafe lent[thread]
                    for _ in 0..<rounds {
                        for i in unsafe keys.indices { unsafe keys[i]._withUnsafeGuaranteedRef { call($0.key) } }
                    }
                    group.leave()
                }
                precondition(isStarted, "a benchmark needs its threads")
            }
            let time = clock.measure {
                for _ in 0..<threads { gate.signal() }
                group.wait()
            }
            return time / .nanoseconds(threads * rounds * held[0].count)
        }
    }

    /// The peer's figures are those of Nuke 14, recorded on two cores.
    private func row(_ name: String, _ median: Double, nuke: Double, reach: Double) -> BenchmarkRow {
        row(name, median, BenchmarkRow.Peer(name: "Nuke 14", value: nuke, ranHere: false, reach: reach))
    }

    private func row(_ name: String, _ median: Double, here: (name: String, value: Double), reach: Double) -> BenchmarkRow {
        row(name, median, BenchmarkRow.Peer(name: here.name, value: here.value, ranHere: true, reach: reach))
    }

    private func row(_ name: String, _ median: Double, _ peer: BenchmarkRow.Peer? = nil) -> BenchmarkRow {
        BenchmarkRow(suite: "cache", name: name, median: median, unit: "ns", peer: peer)
    }

    private static func keys(_ numbers: some Sequence<Int>) -> [ImageKey] {
        numbers.map { ImageKey(resource: ResourceKey("https://example.org/pictures/\($0).jpg")) }
    }
}

/// A key in the hands of who asks. Keys out of an array are copied first, which counts references to their texts.
private final class HeldKey: Sendable {
    let key: ImageKey

    init(_ key: ImageKey) { self.key = key }
}

/// Pictures that cost nothing.
enum BenchmarkPictures {
    static func smallest() throws -> DecodedImage {
        DecodedImage(try unsafe Bitmap(size: PixelSize(width: 1, height: 1), format: .gray8, alpha: .opaque) { _, _ in })
    }
}

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }

    /// 0 up to 1.
    mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}
