internal import ImageCaching
internal import ImageCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension BenchmarkSuite {
    /// The memory cache and the disk cache, each by itself.
    static let cache = BenchmarkSuite(name: "cache", about: "hits, misses, inserts, hit ratios; files on disk") { effort in
        let memory = MemoryCacheBench(effort: effort)
        return try await memory.times() + HitRatioBench(effort: effort).rows() + DiskCacheBench(effort: effort).rows()
    }
}

/// What the calls of the memory cache cost, with 1,000 entries.
///
/// In processor time of each thread, so that what else runs on the machine counts less. Two threads at once take, per
/// hit, the time of one over the sum of their speeds.
private struct MemoryCacheBench {
    private static let entryCount = 1_000

    let effort: BenchmarkEffort
    private let image: DecodedImage?
    private let cache = MemoryCache(limits: .init(count: Self.entryCount))

    init(effort: BenchmarkEffort) {
        self.effort = effort
        image = try? BenchmarkPictures.smallest()
    }

    func times() async throws -> [BenchmarkRow] {
        guard let image else { return [] }
        for key in Self.keys(0..<Self.entryCount) { cache.store(image, for: key) }
        let one = await hits(threads: 1)
        let two = await hits(threads: 2)
        let misses = await misses()
        return [
            row("memory hit", one, peer: 110, reach: 60 / 110),
            row("memory hit, two threads, time per hit of both", two, peer: ("one thread", one), reach: 1 / 1.6),
            row("memory miss", misses, peer: ("memory hit", one), reach: 1),
            row("memory insert with eviction", await inserts(image), peer: 399, reach: 200 / 399),
        ]
    }

    /// Nanoseconds per hit of keys in random order, as many by each thread.
    private func hits(threads: Int) async -> Double {
        let count = effort.scaled(1_000_000)
        // Keys of its own for each thread, as requests have them.
        let keys = (0..<threads).map { thread -> [ImageKey] in
            var random = SeededGenerator(seed: UInt64(thread + 1))
            return Self.keys((0..<Self.entryCount).shuffled(using: &random))
        }
        return await effort.median {
            await parallel(threads, each: count) { thread in
                let own = keys[thread]
                var found = 0
                for _ in 0..<count / own.count {
                    for key in own where cache.image(for: key) != nil { found += 1 }
                }
                precondition(found == count, "every one is a hit")
            }
        }
    }

    private func misses() async -> Double {
        let count = effort.scaled(1_000_000)
        let keys = Self.keys(Self.entryCount..<2 * Self.entryCount)
        return await effort.median {
            await parallel(1, each: count) { _ in
                for _ in 0..<count / keys.count { for key in keys { _ = cache.image(for: key) } }
            }
        }
    }

    /// Nanoseconds per insert of a new key; each pushes another entry out.
    ///
    /// One thread only: inserts are made one after the other, and what two threads wait is no processor time.
    private func inserts(_ image: DecodedImage) async -> Double {
        let count = effort.scaled(200_000)
        // Used in turn, each comes back long after it left.
        let keys = Self.keys(1_000_000..<1_004_000)
        return await effort.median {
            await parallel(1, each: count) { _ in
                for _ in 0..<count / keys.count { for key in keys { cache.store(image, for: key) } }
            }
        }
    }

    /// Nanoseconds per item, of all threads together.
    private func parallel(_ threads: Int, each count: Int, _ body: @escaping @Sendable (Int) -> Void) async -> Double {
        let speed = await withTaskGroup(of: Double.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    let start = ThreadTime.nanoseconds
                    body(thread)
                    return Double(count) / (ThreadTime.nanoseconds - start)
                }
            }
            return await group.reduce(0, +)
        }
        return 1 / speed
    }

    /// The peer's figures are those of Nuke 14, recorded on two cores.
    private func row(_ name: String, _ median: Double, peer: Double, reach: Double) -> BenchmarkRow {
        BenchmarkRow(
            suite: "cache", name: name, median: median, unit: "ns",
            peer: BenchmarkRow.Peer(name: "Nuke 14", value: peer, ranHere: false, reach: reach))
    }

    private func row(_ name: String, _ median: Double, peer: (name: String, value: Double), reach: Double) -> BenchmarkRow {
        BenchmarkRow(
            suite: "cache", name: name, median: median, unit: "ns",
            peer: BenchmarkRow.Peer(name: peer.name, value: peer.value, ranHere: true, reach: reach))
    }

    private static func keys(_ numbers: some Sequence<Int>) -> [ImageKey] {
        numbers.map { ImageKey(resource: ResourceKey("https://example.org/pictures/\($0).jpg")) }
    }
}

/// The processor time of the calling thread.
private enum ThreadTime {
    static var nanoseconds: Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
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
