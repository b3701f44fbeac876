internal import Calotype
internal import CalotypeTesting
internal import Foundation
internal import InstantPlugIns

/// Measures the elapsed time of the memory cache's calls with 10,000 entries. With two threads it is the time until
/// both are done, divided by the calls of both.
struct MemoryCacheBench {
    private static let entryCount = 10_000

    let effort: Effort
    let seed: UInt64
    /// Memory pressure on the machine must not turn hits into misses.
    private let cache = MemoryCache(limits: .init(maximumCount: Self.entryCount), respondsToPressure: false)

    init(effort: Effort, seed: UInt64) { (self.effort, self.seed) = (effort, seed) }

    func rows() async throws -> [Row] {
        // Each key has its own image, since otherwise all hits would count references of the same object.
        for key in Self.keys(0..<Self.entryCount) { cache.store(try .onePixel(), for: key) }
        Progress.show("  memory cache: hits")
        let hit = await hits(threads: 1)
        let plainHit = await hitsOfPlainDictionary()
        let twoHits = await hits(threads: 2)
        let sameHit = await hitsOfOneKey(threads: 2)
        Progress.show("  memory cache: misses")
        let miss = await misses(threads: 1)
        let twoMisses = await misses(threads: 2)
        Progress.show("  memory cache: inserts")
        let insert = try await inserts(threads: 1)
        let twoInserts = try await inserts(threads: 2)
        return [
            row("memory hit", hit, nuke: 110, .atMost(160)),
            row("memory hit", hit, Row.Peer(name: "dictionary and lock", samples: plainHit)),
            row("memory hit, two threads", twoHits, Row.Peer(name: "one thread", samples: hit), .ratio(1 / 1.5)),
            row("memory hit, two threads, one key", sameHit),
            row("memory miss", miss, Row.Peer(name: "memory hit", samples: hit)),
            row("memory miss, two threads", twoMisses),
            row("memory insert with eviction", insert, nuke: 399, .atMost(400)),
            row("memory insert with eviction, two threads", twoInserts),
        ]
    }

    /// Returns the nanoseconds per hit, with keys in random order.
    private func hits(threads: Int) async -> [Double] {
        await samples(threads, 1_000_000) { thread in
            var random = SeededGenerator(seed: seed &+ UInt64(thread))
            return Self.keys((0..<Self.entryCount).shuffled(using: &random))
        } call: { [cache] key in
            precondition(cache.image(for: key) != nil, "every lookup is a hit")
        }
    }

    /// Returns the nanoseconds per hit of a dictionary behind one lock, which evicts nothing. With keys in random order
    /// most of the time is that of the memory, which differs from hour to hour on a shared machine.
    private func hitsOfPlainDictionary() async -> [Double] {
        let images = Self.keys(0..<Self.entryCount).compactMap { key in (try? DecodedImage.onePixel()).map { (key, $0) } }
        let dictionary = LockedImages(images)
        return await samples(1, 1_000_000) { _ in
            var random = SeededGenerator(seed: seed)
            return Self.keys((0..<Self.entryCount).shuffled(using: &random))
        } call: { key in
            precondition(dictionary.lock.withLock { $0[key] } != nil, "every lookup is a hit")
        }
    }

    /// Returns the nanoseconds per hit when all threads read the same image, and count its references.
    private func hitsOfOneKey(threads: Int) async -> [Double] {
        await samples(threads, 1_000_000) { _ in
            Self.keys(repeatElement(0, count: Self.entryCount))
        } call: { [cache] key in
            precondition(cache.image(for: key) != nil, "every lookup is a hit")
        }
    }

    private func misses(threads: Int) async -> [Double] {
        await samples(threads, 1_000_000) { thread in
            Self.keys((thread + 1) * Self.entryCount..<(thread + 2) * Self.entryCount)
        } call: { [cache] key in
            precondition(cache.image(for: key) == nil, "every lookup is a miss")
        }
    }

    /// Nanoseconds per insert of a new key, each of which evicts another entry.
    private func inserts(threads: Int) async throws -> [Double] {
        // The cache holds the only reference to each image: one that something else holds is found again after its
        // eviction, which has a price. The time to make the images is subtracted.
        let making = await samples(threads, 200_000) { _ in
            Self.keys(0..<4 * Self.entryCount)
        } call: { _ in
            _ = try? DecodedImage.onePixel()
        }
        let inserting = await samples(threads, 200_000) { thread in
            // The keys are used in turn, so that each is inserted long after it was evicted.
            let first = 1_000_000 * (thread + 1)
            return Self.keys(first..<first + 4 * Self.entryCount)
        } call: { [cache] key in
            if let image = try? DecodedImage.onePixel() { cache.store(image, for: key) }
        }
        return inserting.map { $0 - making.median }
    }

    /// Returns the nanoseconds per call in each round. Each thread makes `count` calls, with each key in turn.
    private func samples(
        _ threads: Int, _ count: Int, keys: (_ thread: Int) -> [ImageKey], call: @escaping @Sendable (ImageKey) -> Void
    ) async -> [Double] {
        let held = (0..<threads).map { keys($0).map(HeldKey.init) }
        let borrowed = unsafe held.map { unsafe $0.map { unsafe Unmanaged.passUnretained($0) } }
        defer { withExtendedLifetime(held) {} }
        let rounds = max(1, effort.scaled(count) / held[0].count)
        return await effort.samples {
            let (gate, group) = (DispatchSemaphore(value: 0), DispatchGroup())
            for thread in 0..<threads {
                group.enter()
                // Use separate threads, because a queue's pool may run both on one thread.
                Thread {
                    gate.wait()
                    let keys = unsafe borrowed[thread]
                    for _ in 0..<rounds {
                        for index in unsafe keys.indices { unsafe keys[index]._withUnsafeGuaranteedRef { call($0.key) } }
                    }
                    group.leave()
                }.start()
            }
            let time = ContinuousClock().measure {
                for _ in 0..<threads { gate.signal() }
                group.wait()
            }
            return time / .nanoseconds(threads * rounds * held[0].count)
        }
    }

    /// - Parameter nuke: the figure of Nuke 14, recorded on two cores.
    private func row(_ name: String, _ samples: [Double], nuke: Double, _ budget: Row.Budget) -> Row {
        row(name, samples, Row.Peer(name: "Nuke 14", value: nuke, isRecorded: true), budget)
    }

    private func row(_ name: String, _ samples: [Double], _ peer: Row.Peer? = nil, _ budget: Row.Budget? = nil) -> Row {
        Row(suite: "cache", name: name, samples: samples, unit: "ns", peer: peer, budget: budget)
    }

    private static func keys(_ numbers: some Sequence<Int>) -> [ImageKey] {
        numbers.map { ImageKey(resource: ResourceKey("https://example.org/images/\($0).jpg")) }
    }
}

/// A key that is passed to the cache without a copy. A copy from an array counts references of the key's text, which
/// takes as long as a hit when the keys are not in the processor's cache.
private final class HeldKey: Sendable {
    let key: ImageKey

    init(_ key: ImageKey) { self.key = key }
}

private final class LockedImages: Sendable {
    let lock: Lock<[ImageKey: DecodedImage]>

    init(_ images: [(ImageKey, DecodedImage)]) { lock = Lock(Dictionary(uniqueKeysWithValues: images)) }
}
