import ImageCore
import Testing

@testable import ImageCaching

@Suite struct DiskCacheLimitTests {
    /// FEATURES 7.2: 10 MB is the least, unless the limits say otherwise.
    @Test func aSmallerLimitIsRaisedToTenMegabytes() {
        var limits = DiskCache.Limits(maximumBytes: 1_000)
        #expect(limits.maximumBytes == 10_000_000)
        limits.maximumBytes = 50_000_000
        limits.maximumBytes = 5_000
        #expect(limits.maximumBytes == 10_000_000)
        limits = DiskCache.Limits(maximumBytes: 1_000, minimumBytes: 0)
        #expect(limits.maximumBytes == 1_000)
        #expect(DiskCache.Limits(maximumBytes: -1, minimumBytes: -1).maximumBytes == 0)
        #expect(DiskCache.Limits().maximumBytes == 400_000_000 && DiskCache.Limits().timeToLive == .seconds(30 * 86_400))
    }

    @Test func theFilesStayWithinTheLimitAfterEveryWrite() async throws {
        let folder = try Folder()
        let cache = folder.cache(.init(maximumBytes: 200_000, minimumBytes: 0))
        for i in 0..<120 {
            try await cache.store(entry(i, count: 5_000 + i * 37), for: dataKey(i))
            try await cache.flush()
            #expect(await cache.statistics.fileByteCount <= 200_000)
            #expect(folder.packBytes <= 200_000)
            #expect(try await cache.entry(for: dataKey(i))?.data == content(i, count: 5_000 + i * 37))
        }
        let statistics = await cache.statistics
        #expect(statistics.evictions.overLimit == 120 - statistics.count)
        #expect(statistics.byteCount > 100_000, "no more is thrown away than the room that is to be freed")
    }

    @Test func theLeastRecentlyUsedEntriesAreEvictedFirst() async throws {
        let folder = try Folder()
        let cache = folder.cache(.init(maximumCount: 10))
        for i in 0..<10 { try await cache.store(entry(i), for: dataKey(i)) }
        try await cache.flush()
        for i in [0, 1, 2] { _ = try await cache.entry(for: dataKey(i)) }
        try await cache.store(entry(10), for: dataKey(10))
        try await cache.flush()
        // A fifth is freed: eight of eleven entries stay.
        #expect(await cache.statistics.count == 8)
        for i in [0, 1, 2, 6, 7, 8, 9, 10] { #expect(try await cache.entry(for: dataKey(i)) != nil) }
        for i in [3, 4, 5] { #expect(try await cache.entry(for: dataKey(i)) == nil) }
    }

    @Test func theOrderOfUseSurvivesARestart() async throws {
        let folder = try Folder()
        do {
            let cache = folder.cache(.init(maximumCount: 10))
            for i in 0..<10 { try await cache.store(entry(i), for: dataKey(i)) }
            for i in [4, 0] { _ = try await cache.entry(for: dataKey(i)) }
            try await cache.flush()
        }
        let cache = folder.cache(.init(maximumCount: 10, freedShare: 0.8))
        try await cache.store(entry(10), for: dataKey(10))
        try await cache.flush()
        #expect(await cache.statistics.count == 2)
        #expect(try await cache.entry(for: dataKey(10)) != nil)
        #expect(try await cache.entry(for: dataKey(0)) != nil)
        #expect(try await cache.entry(for: dataKey(4)) == nil)
    }

    @Test func entriesInFrequentUseAreCopiedFromTheirPacks() async throws {
        let folder = try Folder()
        let cache = folder.cache(.init(maximumBytes: 300_000, minimumBytes: 0))
        for i in 0..<20 { try await cache.store(entry(i, count: 4_000), for: dataKey(i)) }
        for i in 20..<400 {
            try await cache.store(entry(i, count: 4_000), for: dataKey(i))
            for hot in [0, 7, 13] { #expect(try await cache.entry(for: dataKey(hot))?.data == content(hot, count: 4_000)) }
        }
        try await cache.flush()
        #expect(folder.packBytes <= 300_000)
        let again = folder.cache(.init(maximumBytes: 300_000, minimumBytes: 0))
        for hot in [0, 7, 13] { #expect(try await again.entry(for: dataKey(hot))?.data == content(hot, count: 4_000)) }
    }

    @Test func anEntryAboveTheLimitIsNotStoredAndTheOldOneIsRemoved() async throws {
        let folder = try Folder()
        let cache = folder.cache(.init(maximumBytes: 100_000, minimumBytes: 0))
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.store(entry(2), for: dataKey("b"))
        try await cache.flush()
        try await cache.store(entry(3, count: 100_001), for: dataKey("a"))
        try await cache.flush()
        #expect(try await cache.entry(for: dataKey("a")) == nil)
        #expect(try await cache.entry(for: dataKey("b")) != nil)
        #expect(await cache.statistics.refusals == 1)
    }

    @Test func anEntryNearTheLimitIsStoredAlone() async throws {
        let folder = try Folder()
        let cache = folder.cache(.init(maximumBytes: 100_000, minimumBytes: 0))
        for i in 0..<5 { try await cache.store(entry(i, count: 15_000), for: dataKey(i)) }
        try await cache.store(entry(9, count: 95_000), for: dataKey("large"))
        try await cache.flush()
        #expect(try await cache.entry(for: dataKey("large"))?.data == content(9, count: 95_000))
        #expect(folder.packBytes <= 100_000)
    }

    @Test func anExpiredEntryIsAMissAndIsRemovedByTheNextWrite() async throws {
        let folder = try Folder()
        let clock = ManualSeconds()
        let cache = folder.cache(.init(timeToLive: .seconds(100)), clock: clock)
        try await cache.store(entry(1), for: dataKey("old"))
        try await cache.flush()
        clock.advance(by: 60)
        try await cache.store(entry(2), for: dataKey("young"))
        try await cache.flush()
        #expect(try await cache.entry(for: dataKey("old")) != nil)
        clock.advance(by: 60)
        #expect(try await cache.entry(for: dataKey("old")) == nil)
        #expect(try await cache.entry(for: dataKey("young")) != nil)
        try await cache.store(entry(3), for: dataKey("new"))
        try await cache.flush()
        let statistics = await cache.statistics
        #expect((statistics.count, statistics.evictions.expired, statistics.evictions.overLimit) == (2, 1, 0))
    }

    @Test func readingAnEntryDoesNotExtendItsAge() async throws {
        let clock = ManualSeconds()
        let cache = try Folder().cache(.init(timeToLive: .seconds(100)), clock: clock)
        try await cache.store(entry(1), for: dataKey("a"))
        for _ in 0..<3 {
            clock.advance(by: 33)
            #expect(try await cache.entry(for: dataKey("a")) != nil)
        }
        clock.advance(by: 33)
        #expect(try await cache.entry(for: dataKey("a")) == nil)
    }

    @Test func trimmingKeepsTheMostRecentlyUsedEntries() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        for i in 0..<50 { try await cache.store(entry(i, count: 2_000), for: dataKey(i)) }
        try await cache.trim(toBytes: 10_000)
        #expect(folder.packBytes <= 10_000)
        #expect(try await cache.entry(for: dataKey(49)) != nil)
        #expect(try await cache.entry(for: dataKey(40)) == nil)
        try await cache.trim(toBytes: 0)
        #expect(await cache.statistics.count == 0)
        #expect(folder.packs.isEmpty)
    }

    @Test func aJournalOfOutdatedChangesIsRewritten() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        for round in 0..<60 {
            for i in 0..<100 { try await cache.store(entry(round * 1_000 + i, count: 10), for: dataKey(i)) }
            try await cache.flush()
        }
        let journal = try Data(contentsOf: folder.packDirectory.appending(path: "journal"))
        #expect(journal.count < 5_000 * IndexChange.length)
        #expect(await cache.statistics.count == 100)
        let again = folder.cache()
        for i in 0..<100 { #expect(try await again.entry(for: dataKey(i))?.data == content(59_000 + i, count: 10)) }
    }
}
