import ImageCore
import Testing

@testable import ImageCaching

@Suite(.timeLimit(.minutes(1))) struct DiskCacheLimitTests {
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
        let negative = DiskCache.Limits(
            maximumBytes: -1, minimumBytes: -1, maximumCount: -1, timeToLive: .seconds(-1), freedShare: -1)
        #expect(
            negative
                == DiskCache.Limits(maximumBytes: 0, minimumBytes: 0, maximumCount: 0, timeToLive: .zero, freedShare: 0))
        #expect(DiskCache.Limits(freedShare: 1.5).freedShare == 1)
        #expect(DiskCache.Limits().maximumBytes == 400_000_000 && DiskCache.Limits().timeToLive == .seconds(30 * 86_400))
    }

    @Test func theFilesStayWithinTheLimitAfterEveryWrite() async throws {
        let folder = try Folder()
        let cache = folder.cache(.init(maximumBytes: 200_000, minimumBytes: 0))
        for i in 0..<120 {
            try await cache.store(entry(i, count: 5_000 + i * 37), for: dataKey(i))
            try await cache.flush()
            #expect(await cache.statistics.fileByteCount <= 200_000)
            #expect(folder.fileBytes <= 200_000)
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
        let clock = ManualSeconds()
        do {
            let cache = folder.cache(.init(maximumCount: 10), clock: clock)
            for i in 0..<10 { try await cache.store(entry(i), for: dataKey(i)) }
            for i in [4, 0] { _ = try await cache.entry(for: dataKey(i)) }
            try await cache.flush()
        }
        clock.advance(by: 1)
        let cache = folder.cache(.init(maximumCount: 10, freedShare: 0.8), clock: clock)
        try await cache.store(entry(10), for: dataKey(10))
        try await cache.flush()
        #expect(await cache.statistics.count == 2)
        #expect(try await cache.entry(for: dataKey(10)) != nil)
        #expect(try await cache.entry(for: dataKey(0)) != nil)
        #expect(try await cache.entry(for: dataKey(4)) == nil)
    }

    @Test func entriesInFrequentUseStay() async throws {
        let folder = try Folder()
        let cache = folder.cache(.init(maximumBytes: 300_000, minimumBytes: 0))
        for i in 0..<20 { try await cache.store(entry(i, count: 4_000), for: dataKey(i)) }
        for i in 20..<400 {
            try await cache.store(entry(i, count: 4_000), for: dataKey(i))
            for hot in [0, 7, 13] { #expect(try await cache.entry(for: dataKey(hot))?.data == content(hot, count: 4_000)) }
        }
        try await cache.flush()
        #expect(folder.fileBytes <= 300_000)
        let again = folder.cache(.init(maximumBytes: 300_000, minimumBytes: 0))
        for hot in [0, 7, 13] { #expect(try await again.entry(for: dataKey(hot))?.data == content(hot, count: 4_000)) }
    }

    @Test func anEntryThatIsUsedWhileOthersAreEvictedStays() async throws {
        let folder = try Folder()
        let files = HeldFiles(.remove)
        let cache = DiskCache(.init(directory: folder.url, limits: .init(maximumCount: 4)), files: files)
        for i in 0..<5 { try await cache.store(entry(i), for: dataKey(i)) }
        async let flushed: Void = cache.flush()
        // The first of the two that are to be evicted.
        await files.waitForCall()
        #expect(try await cache.entry(for: dataKey(1)) != nil)
        files.release()
        try await flushed
        #expect(try await cache.entry(for: dataKey(0)) == nil)
        #expect(try await cache.entry(for: dataKey(1)) != nil)
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
        #expect(folder.fileBytes <= 100_000)
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
        #expect(folder.fileBytes <= 10_000)
        #expect(try await cache.entry(for: dataKey(49)) != nil)
        #expect(try await cache.entry(for: dataKey(40)) == nil)
        try await cache.trim(toBytes: 0)
        #expect(await cache.statistics.count == 0)
        #expect(folder.files.isEmpty)
    }

    @Test func expiredEntriesThatNobodyReadsAreRemovedByTheNextWrite() async throws {
        let folder = try Folder()
        let clock = ManualSeconds()
        let cache = folder.cache(.init(timeToLive: .seconds(100)), clock: clock)
        for i in 0..<5 { try await cache.store(entry(i), for: dataKey(i)) }
        try await cache.flush()
        clock.advance(by: 101)
        try await cache.store(entry(9), for: dataKey(9))
        try await cache.flush()
        #expect(folder.files == [folder.file(of: dataKey(9))])
        #expect(cache.cacheStatistics[0].evictions.expired == 5)
    }

    @Test func usesAreWrittenTogether() async throws {
        let folder = try Folder()
        let files = FaultyFiles(.death, at: .max)
        let cache = folder.cache(files: files)
        for i in 0..<3 { try await cache.store(entry(i), for: dataKey(i)) }
        try await cache.flush()
        let calls = files.count
        for _ in 0..<100 { for i in 0..<3 { #expect(try await cache.entry(for: dataKey(i)) != nil) } }
        #expect(files.count == calls)
        try await cache.flush()
        // The directory, and the times of each entry once.
        #expect(files.count <= calls + 5)
    }

    /// A use must not become older or newer because another program reads or copies the file.
    @Test func readingDoesNotChangeTheTimesOfAFile() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        let file = folder.file(of: dataKey("a"))
        folder.setTimes(of: file, used: 1_600_000_000, written: 1_699_999_999)
        _ = try await cache.verify()
        let read = try OpenFile(opening: file.path(percentEncoded: false), flags: OpenFile.readFlags)
        #expect(read.status?.times == FileTimes(lastUse: 1_600_000_000, written: 1_699_999_999))
    }

    /// A clock was ahead for a while: what was stored then is not expired, and is not kept for ever either.
    @Test func timesInTheFutureCountAsNow() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        for i in 0..<3 { try await cache.store(entry(i), for: dataKey(i)) }
        try await cache.flush()
        folder.setTimes(of: folder.file(of: dataKey(0)), used: 9_000_000_000, written: 4_000_000_000)
        #expect(await cache.statistics.count == 3)
        #expect(try await cache.verify().count == 3)
        for i in [1, 2] { #expect(try await cache.entry(for: dataKey(i)) != nil) }
        try await cache.trim(toBytes: 2_700)
        for i in 0..<3 { #expect(try await (cache.entry(for: dataKey(i)) != nil) == (i > 0)) }
    }

    /// A machine without a battery for its clock starts in 1970.
    @Test func aClockThatStartsInThePastLosesNoEntry() async throws {
        let folder = try Folder()
        let clock = ManualSeconds()
        let cache = folder.cache(.init(timeToLive: .seconds(100)), clock: clock)
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        clock.advance(by: -1_700_000_000)
        #expect(await folder.cache(.init(timeToLive: .seconds(100)), clock: clock).statistics.count == 1)
        clock.advance(by: 1_700_000_090)
        #expect(try await folder.cache(.init(timeToLive: .seconds(100)), clock: clock).entry(for: dataKey("a")) != nil)
    }

    @Test func aClockThatIsSetBackKeepsTheOrderOfUse() async throws {
        let folder = try Folder()
        let clock = ManualSeconds()
        let cache = folder.cache(clock: clock)
        for i in 0..<4 { try await cache.store(entry(i), for: dataKey(i)) }
        try await cache.flush()
        clock.advance(by: -1_000_000)
        for i in [2, 0] { #expect(try await cache.entry(for: dataKey(i)) != nil) }
        #expect(await cache.statistics.count == 4)
        for i in [1, 3] { #expect(try await cache.entry(for: dataKey(i)) != nil) }
        #expect(await cache.items.map(\.name) == [3, 1, 0, 2].map { dataKey($0).digest })
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -1e300, 1e300])
    func anImpossibleClockDoesNoHarm(time: Double) async throws {
        let folder = try Folder()
        let cache = DiskCache(.init(directory: folder.url, now: { time }))
        for i in 0..<3 {
            try await cache.store(entry(i), for: dataKey(i))
            if let found = try await cache.entry(for: dataKey(i)) { #expect(found.data == content(i)) }
            try await cache.flush()
        }
        _ = await cache.statistics
        #expect(await cache.items.count <= 3)
    }

    @Test func entriesAreCountedWhileLoadsRun() async throws {
        let folder = try Folder()
        let first = folder.cache()
        for i in 0..<100 { try await first.store(entry(i), for: dataKey(i)) }
        try await first.flush()
        let cache = folder.cache()
        for i in 0..<100 {
            #expect(try await cache.entry(for: dataKey(i)) != nil)
            try await cache.store(entry(i), for: dataKey("new \(i)"))
        }
        try await cache.flush()
        let counted = cache.cacheStatistics[0]
        #expect((counted.count, counted.byteCount) == (200, folder.fileBytes))
    }
}
