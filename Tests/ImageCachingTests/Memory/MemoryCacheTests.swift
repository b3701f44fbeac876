import ImageCaching
import ImageCore
import Testing

import CalotypeSystem

/// The caches ignore memory pressure, which may occur while a test runs.
@Suite(.timeLimit(.minutes(1))) struct MemoryCacheTests {
    @Test func aStoredImageIsAHitUntilItIsRemoved() throws {
        let cache = MemoryCache(respondsToPressure: false)
        #expect(cache.image(for: imageKey("a")) == nil)
        cache.store(try testImage(tag: 7), for: imageKey("a"))
        #expect(tag(of: cache.image(for: imageKey("a"))) == 7)
        cache.removeImage(for: imageKey("a"))
        #expect(cache.image(for: imageKey("a")) == nil)
    }

    @Test func variantsOfOneResourceAreSeparateEntries() throws {
        let cache = MemoryCache(respondsToPressure: false)
        cache.store(try testImage(tag: 1), for: imageKey("a"))
        cache.store(try testImage(tag: 2), for: imageKey("a", "blur"))
        #expect(tag(of: cache.image(for: imageKey("a"))) == 1)
        #expect(tag(of: cache.image(for: imageKey("a", "blur"))) == 2)
    }

    @Test func storingAgainReplacesAndCountsTheCostOnce() throws {
        let cache = MemoryCache(respondsToPressure: false)
        cache.store(try testImage(rows: 3, tag: 1), for: imageKey("a"))
        cache.store(try testImage(rows: 2, tag: 2), for: imageKey("a"))
        #expect(tag(of: cache.image(for: imageKey("a"))) == 2)
        #expect(cache.statistics.byteCount == testImageCost + 64)
        #expect(cache.statistics.count == 1)
        #expect(cache.variants(of: ResourceKey("a")).count == 1, "the old image takes no slot")
    }

    @Test func theCostLimitHoldsAfterEveryInsert() throws {
        let cache = MemoryCache(limits: .init(maximumBytes: 10 * testImageCost), respondsToPressure: false)
        for i in 0..<100 {
            cache.store(try testImage(rows: 1 + i % 4, tag: UInt8(i)), for: imageKey("\(i)"))
            #expect(cache.statistics.byteCount <= 10 * testImageCost)
            #expect(tag(of: cache.image(for: imageKey("\(i)"))) == UInt8(i), "the newest image is kept")
        }
        #expect(cache.statistics.evictions.overLimit > 0)
    }

    @Test func aTinyImageCountsTheOverheadOfItsEntry() throws {
        let cache = MemoryCache(limits: .init(maximumBytes: 100 * testImageCost), respondsToPressure: false)
        for i in 0..<1_000 { cache.store(try testImage(), for: imageKey("\(i)")) }
        #expect(cache.statistics.count == 100)
        #expect(cache.statistics.byteCount == 100 * testImageCost)
    }

    #if os(Linux)
        @Test func theCostOfManyTinyImagesIsNearTheGrowthOfTheProcess() async {
            // Allocations are larger with a sanitizer.
            guard unsafe dlsym(nil, "__asan_init") == nil && dlsym(nil, "__tsan_init") == nil else { return }
            await #expect(processExitsWith: .success) {
                let cache = MemoryCache(limits: .init(maximumBytes: 1 << 40), respondsToPressure: false)
                let before = try residentBytes()
                for i in 0..<50_000 { cache.store(try testImage(), for: imageKey("https://example.org/images/\(i).jpg")) }
                let ratio = Double(try residentBytes() - before) / Double(cache.statistics.byteCount)
                precondition((0.6...1.6).contains(ratio), "the process grew \(ratio) times as much")
            }
        }
    #endif

    @Test func theCountLimitHoldsAfterEveryInsert() throws {
        let cache = MemoryCache(limits: .init(maximumCount: 3), respondsToPressure: false)
        for i in 0..<20 {
            cache.store(try testImage(), for: imageKey("\(i)"))
            #expect(cache.statistics.count == min(i + 1, 3))
        }
        #expect(cache.statistics.evictions.overLimit == 17)
    }

    @Test func anImageAboveTheLimitOfOneEntryIsNotStoredAndTheOldOneIsRemoved() throws {
        let cache = MemoryCache(
            limits: .init(maximumBytes: 10 * testImageCost, maximumEntryBytes: testImageCost + 64), respondsToPressure: false)
        cache.store(try testImage(rows: 2), for: imageKey("fits"))
        cache.store(try testImage(rows: 3), for: imageKey("large"))
        #expect(cache.image(for: imageKey("fits")) != nil)
        #expect(cache.image(for: imageKey("large")) == nil)
        #expect(cache.statistics.refusals == 1)
        // The old image of a key is outdated, even if the new one cannot be stored.
        cache.store(try testImage(rows: 3), for: imageKey("fits"))
        #expect(cache.image(for: imageKey("fits")) == nil)
    }

    @Test func aRecentlyUsedImageOutlivesAnUnusedOne() throws {
        let cache = MemoryCache(limits: .init(maximumCount: 3), respondsToPressure: false)
        for name in ["a", "b", "c"] { cache.store(try testImage(), for: imageKey(name)) }
        #expect(cache.image(for: imageKey("a")) != nil)
        cache.store(try testImage(), for: imageKey("d"))
        #expect(cache.image(for: imageKey("a")) != nil)
        #expect(cache.image(for: imageKey("b")) == nil)
    }

    @Test func aLimitForThreeImagesKeepsThreeForAnyKeys() throws {
        for first in 0..<200 {
            let cache = MemoryCache(limits: .init(maximumBytes: 3 * testImageCost), respondsToPressure: false)
            for i in first..<first + 4 { cache.store(try testImage(), for: imageKey("\(i)")) }
            #expect((first..<first + 4).filter { cache.image(for: imageKey("\($0)")) != nil } == Array(first + 1..<first + 4))
        }
    }

    @Test func aReaderNeverMissesAnImageThatIsBeingReplaced() async throws {
        let cache = MemoryCache(limits: .init(maximumCount: 2), respondsToPressure: false)
        let image = try testImage()
        cache.store(image, for: imageKey("a"))
        let writer = Progress()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<20_000 { cache.store(image, for: imageKey("a")) }
                writer.isDone.withLock { $0 = true }
            }
            group.addTask {
                while !writer.isDone.withLock({ $0 }) { _ = cache.image(for: imageKey("a")) }
            }
        }
        #expect(cache.statistics.misses == 0)
    }

    @Test func keysWithTheSameHashAreNeverConfused() throws {
        let cache = MemoryCache(respondsToPressure: false)
        let (a, b) = (ImageKey(resource: ResourceKey("a", hash: 7)), ImageKey(resource: ResourceKey("b", hash: 7)))
        cache.store(try testImage(tag: 1), for: a)
        #expect(cache.image(for: b) == nil)
        cache.removeImage(for: b)
        #expect(tag(of: cache.image(for: a)) == 1)
        cache.store(try testImage(tag: 2), for: b)
        // The cache keeps one of them.
        #expect(tag(of: cache.image(for: b)) == 2)
        #expect(cache.image(for: a) == nil)
        #expect(cache.statistics.count == 1)
        cache.removeImage(for: a)
        #expect(cache.image(for: a) == nil)
        #expect(tag(of: cache.image(for: b)) == 2)
    }

    @Test func entriesOfHighPriorityOutliveAllOthers() throws {
        let cache = MemoryCache(limits: .init(maximumCount: 4), respondsToPressure: false)
        cache.store(try testImage(), for: imageKey("high 1"), priority: .high)
        cache.store(try testImage(), for: imageKey("high 2"), priority: .high)
        for i in 0..<50 { cache.store(try testImage(), for: imageKey("\(i)")) }
        #expect(cache.image(for: imageKey("high 1")) != nil)
        #expect(cache.image(for: imageKey("high 2")) != nil)
        for i in 3...6 { cache.store(try testImage(), for: imageKey("high \(i)"), priority: .high) }
        #expect(cache.statistics.count == 4)
        #expect(cache.image(for: imageKey("high 6")) != nil)
        #expect(cache.image(for: imageKey("49")) == nil)
    }

    @Test func anEntryOfHighPriorityEvictsTheOldestOfItsPriority() throws {
        let cache = MemoryCache(limits: .init(maximumCount: 2), respondsToPressure: false)
        for i in 0..<3 { cache.store(try testImage(), for: imageKey("\(i)"), priority: .high) }
        #expect(cache.image(for: imageKey("0")) == nil)
        #expect(cache.image(for: imageKey("1")) != nil)
        #expect(cache.image(for: imageKey("2")) != nil)
        #expect(cache.statistics.evictions.overLimit == 1)
    }

    @Test func anEntryOfNormalPriorityEvictsNoneOfHighPriority() throws {
        let cache = MemoryCache(limits: .init(maximumCount: 3), respondsToPressure: false)
        for i in 0..<3 { cache.store(try testImage(), for: imageKey("high \(i)"), priority: .high) }
        cache.store(try testImage(), for: imageKey("normal"))
        #expect(cache.image(for: imageKey("normal")) == nil)
        for i in 0..<3 { #expect(cache.image(for: imageKey("high \(i)")) != nil) }
        #expect(cache.statistics.count == 3)
        #expect(cache.statistics.refusals == 1)
    }

    @Test func trimEvictsDownToTheGivenCost() throws {
        let cache = MemoryCache(respondsToPressure: false)
        for i in 0..<10 { cache.store(try testImage(), for: imageKey("\(i)")) }
        cache.trim(toBytes: 3 * testImageCost + 8)
        #expect(cache.statistics.byteCount == 3 * testImageCost)
        #expect(cache.statistics.evictions.trimmed == 7)
        cache.trim(toBytes: 0)
        #expect(cache.statistics.count == 0)
    }

    @Test func loweredLimitsHoldAtOnce() throws {
        let cache = MemoryCache(respondsToPressure: false)
        for i in 0..<10 { cache.store(try testImage(), for: imageKey("\(i)")) }
        cache.limits = MemoryCache.Limits(maximumBytes: 5 * testImageCost)
        #expect(cache.statistics.count == 5)
        cache.limits.maximumCount = 2
        #expect(cache.statistics.count == 2)
    }

    @Test func removeAllLeavesAnEmptyCacheThatWorks() throws {
        let cache = MemoryCache(respondsToPressure: false)
        for i in 0..<10 { cache.store(try testImage(), for: imageKey("\(i)"), priority: i % 2 == 0 ? .high : .normal) }
        cache.removeAll()
        #expect(cache.statistics.count == 0 && cache.statistics.byteCount == 0)
        #expect(cache.statistics.evictions.removed == 10)
        cache.store(try testImage(tag: 9), for: imageKey("a"))
        #expect(tag(of: cache.image(for: imageKey("a"))) == 9)
    }

    @Test func statisticsCountHitsAndMisses() throws {
        let cache = MemoryCache(respondsToPressure: false)
        #expect(cache.statistics.hitRatio == nil)
        cache.store(try testImage(), for: imageKey("a"))
        for _ in 0..<3 { _ = cache.image(for: imageKey("a")) }
        _ = cache.image(for: imageKey("b"))
        #expect(cache.statistics.hits == 3)
        #expect(cache.statistics.misses == 1)
        #expect(cache.statistics.hitRatio == 0.75)
        #expect(cache.statistics.stores == 1)
    }

    @Test func concurrentThreadsKeepTheLimitsAndGetTheRightImages() async throws {
        let cache = MemoryCache(limits: .init(maximumBytes: 50 * testImageCost), respondsToPressure: false)
        await withTaskGroup(of: Bool.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for i in 0..<5_000 {
                        let n = (i &* 31 &+ worker &* 17) % 120
                        if let image = cache.image(for: imageKey("\(n)")) {
                            guard tag(of: image) == UInt8(n) else { return false }
                        } else if let image = try? testImage(tag: UInt8(n)) {
                            cache.store(image, for: imageKey("\(n)"), priority: n % 5 == 0 ? .high : .normal)
                        }
                        if i % 500 == 0 { cache.removeImage(for: imageKey("\(n)")) }
                        guard cache.statistics.byteCount <= 50 * testImageCost else { return false }
                    }
                    return true
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func anEntryIsExpiredExactlyAtTheEndOfItsTime() throws {
        let clock = ManualSeconds()
        let cache = MemoryCache(limits: .init(timeToLive: .seconds(10)), respondsToPressure: false, now: { clock.now })
        cache.store(try testImage(), for: imageKey("a"))
        clock.advance(by: 10)
        #expect(cache.peekImage(for: imageKey("a")) == nil)
        #expect(cache.image(for: imageKey("a")) == nil)
    }

    @Test func anEntryExpiresAfterItsTimeToLive() throws {
        let clock = ManualSeconds()
        let cache = MemoryCache(limits: .init(timeToLive: .seconds(10)), respondsToPressure: false, now: { clock.now })
        cache.store(try testImage(), for: imageKey("usual"))
        cache.store(try testImage(), for: imageKey("short"), timeToLive: .seconds(5))
        cache.store(try testImage(), for: imageKey("long"), timeToLive: .seconds(20))
        clock.advance(by: 6)
        #expect(cache.image(for: imageKey("short")) == nil)
        #expect(cache.image(for: imageKey("usual")) != nil)
        clock.advance(by: 6)
        #expect(cache.image(for: imageKey("usual")) == nil)
        #expect(cache.image(for: imageKey("long")) != nil)
        let statistics = cache.statistics
        #expect((statistics.evictions.expired, statistics.count, statistics.byteCount) == (2, 1, testImageCost))
        #expect((statistics.hits, statistics.misses) == (2, 2))
    }

    @Test func manyEntriesAreFoundAndRemovedInAnyOrder() throws {
        let cache = MemoryCache(limits: .init(maximumBytes: testImageCost * 20_000), respondsToPressure: false)
        let image = try testImage()
        for i in 0..<10_000 { cache.store(image, for: imageKey("\(i)")) }
        for i in stride(from: 0, to: 10_000, by: 3) { cache.removeImage(for: imageKey("\(i)")) }
        for i in 0..<10_000 { #expect((cache.image(for: imageKey("\(i)")) == nil) == (i % 3 == 0)) }
    }

    @Test func keptEntriesAreFoundWhileOthersAreAddedAndRemoved() async throws {
        let cache = MemoryCache(limits: .init(maximumBytes: testImageCost * 100_000), respondsToPressure: false)
        let image = try testImage()
        for i in 0..<200 { cache.store(image, for: imageKey("kept \(i)")) }
        let writer = Progress()
        await withTaskGroup(of: Int.self) { group in
            group.addTask {
                // The shards grow several times, and slots are reused.
                for i in 0..<12_000 {
                    cache.store(image, for: imageKey("passing \(i)"))
                    if i % 3 > 0 { cache.removeImage(for: imageKey("passing \(i / 2)")) }
                }
                writer.isDone.withLock { $0 = true }
                return 0
            }
            group.addTask {
                var missed = 0
                while !writer.isDone.withLock({ $0 }) {
                    for i in 0..<200 where cache.image(for: imageKey("kept \(i)")) == nil { missed += 1 }
                }
                return missed
            }
            for await missed in group { #expect(missed == 0) }
        }
        #expect(cache.statistics.misses == 0)
    }

    @Test func manyVariantsOfOneResourceAreFoundAndListed() throws {
        let cache = MemoryCache(limits: .init(maximumBytes: testImageCost * 10_000), respondsToPressure: false)
        for i in 0..<2_000 { cache.store(try testImage(tag: UInt8(i % 256)), for: imageKey("a", "\(i)")) }
        for i in 0..<2_000 { #expect(tag(of: cache.image(for: imageKey("a", "\(i)"))) == UInt8(i % 256)) }
        #expect(cache.variants(of: ResourceKey("a")).count == 16)
        #expect(cache.variants(of: ResourceKey("b")).isEmpty)
    }

    @Test func limitsBelowZeroCountAsZero() {
        let limits = MemoryCache.Limits(maximumBytes: -1, maximumCount: -2, maximumEntryBytes: -3)
        #expect(limits == MemoryCache.Limits(maximumBytes: 0, maximumCount: 0, maximumEntryBytes: 0))
    }

    @Test func theDefaultLimitIsAFifthWithinBounds() {
        #expect(MemoryCache.Limits.defaultBytes(available: 1_000_000_000) == 200_000_000)
        #expect(MemoryCache.Limits.defaultBytes(available: 20_000_000) == 10_000_000)
        #expect(MemoryCache.Limits.defaultBytes(available: 64_000_000_000) == 512_000_000)
        #expect((10_000_000...512_000_000).contains(MemoryCache.Limits().maximumBytes))
    }
}

#if os(Linux)
    private func residentBytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
        return try #require(Int(pages)) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
#endif

private final class Progress: Sendable {
    let isDone = Lock(false)
}
