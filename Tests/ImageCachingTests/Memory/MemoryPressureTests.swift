import ImageCore
import Testing

@testable import ImageCaching

/// How a cache responds to memory pressure, and how pressure is detected.
@Suite struct MemoryPressureTests {
    /// A center that only distributes what the test posts.
    private let center = MemoryPressureCenter { _ in nil }

    private func filledCache(respondsToPressure: Bool = true) throws -> MemoryCache {
        let cache = MemoryCache(
            limits: .init(maximumBytes: 100 * testImageCost), respondsToPressure: respondsToPressure, now: { 0 }, center: center)
        for i in 0..<100 { cache.store(try testImage(), for: imageKey("\(i)")) }
        return cache
    }

    @Test func criticalPressureEmptiesTheCacheAndAWarningHalvesIt() throws {
        let cache = try filledCache()
        center.post(.warning)
        #expect(cache.statistics.count == 50)
        #expect(cache.statistics.evictions.trimmed == 50)
        center.post(.critical)
        #expect(cache.statistics.count == 0)
        #expect(cache.statistics.evictions.trimmed == 100)
    }

    @Test func inTheBackgroundTheMostRecentlyUsedQuarterIsKept() throws {
        let cache = try filledCache()
        #expect(cache.image(for: imageKey("0")) != nil)
        center.post(.background)
        #expect(cache.statistics.count == 25)
        #expect(cache.image(for: imageKey("0")) != nil)
        #expect(cache.image(for: imageKey("1")) == nil)
        #expect(cache.image(for: imageKey("99")) != nil)
    }

    @Test func aCacheThatIgnoresPressureKeepsEverything() throws {
        let cache = try filledCache(respondsToPressure: false)
        center.post(.critical)
        #expect(cache.statistics.count == 100)
    }

    @Test func oneCacheCanRespondAlone() throws {
        let (told, other) = (try filledCache(), try filledCache())
        told.respond(to: .critical)
        #expect(told.statistics.count == 0)
        #expect(other.statistics.count == 100)
    }

    @Test func allCachesOfTheProcessRespondToPostedPressure() throws {
        let cache = MemoryCache(limits: .init(maximumBytes: 100 * testImageCost))
        cache.store(try testImage(), for: imageKey("a"))
        MemoryPressure.post(.critical)
        #expect(cache.image(for: imageKey("a")) == nil)
    }

    @Test func anObserverIsToldAsLongAsItExists() {
        let told = Lock<[MemoryPressure]>([])
        var observer: MemoryPressureObserver? = MemoryPressureObserver(of: center) { pressure in
            told.withLock { $0.append(pressure) }
        }
        center.post(.warning)
        withExtendedLifetime(observer) {}
        observer = nil
        center.post(.critical)
        #expect(told.withLock { $0 } == [.warning])
    }

    @Test func theSystemIsWatchedWhileThereIsACache() throws {
        final class Watch: Sendable {}
        let starts = Lock(0)
        let center = MemoryPressureCenter { _ in
            starts.withLock { $0 += 1 }
            return Watch()
        }
        #expect(!center.isWatching)
        var caches = (0..<2).map { _ in MemoryCache(limits: .init(), respondsToPressure: true, now: { 0 }, center: center) }
        #expect(center.isWatching)
        caches.removeLast()
        #expect(center.isWatching)
        caches.removeLast()
        #expect(!center.isWatching)
        #expect(starts.withLock { $0 } == 1)
    }

    @Test(
        arguments: [
            ("high 3\nmax 0\noom 0\noom_kill 0\n", "high 3\nmax 0\noom 0\noom_kill 0\n", nil),
            ("high 3\nmax 0\n", "high 4\nmax 0\n", .warning),
            ("high 3\nmax 0\n", "high 9\nmax 1\n", .critical),
            ("oom 0\noom_kill 0\n", "oom 0\noom_kill 1\n", .critical),
            ("", "low 7\nnonsense\nhigh many\nhigh 1 2\n", nil),
        ] as [(String, String, MemoryPressure?)])
    func theCountersOfAControlGroupDetermineThePressure(before: String, after: String, pressure: MemoryPressure?) {
        #expect(MemoryEvents(after).pressure(since: MemoryEvents(before)) == pressure)
    }

    #if os(Linux)
        @Test func withoutTheKernelsFilesThereIsNothingToWatch() throws {
            let folder = try Folder()
            #expect(MemoryPressureWatch(root: folder.path) { _ in } == nil)
        }

        @Test(.timeLimit(.minutes(1))) func theFilesOfTheControlGroupAreFoundAndClosedAgain() async throws {
            let folder = try Folder()
            let group = folder.url.appending(path: "sys/fs/cgroup/web", directoryHint: .isDirectory)
            let process = folder.url.appending(path: "proc/self", directoryHint: .isDirectory)
            for place in [group, process] {
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            }
            try Data("0::/web\n".utf8).write(to: process.appending(path: "cgroup"))
            try Data("high 0\n".utf8).write(to: group.appending(path: "memory.events"))
            let counters = "/" + folder.url.lastPathComponent + "/sys/fs/cgroup/web/memory.events"
            func isOpen() throws -> Bool {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").contains { name in
                    let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
                    return file?.hasSuffix(counters) == true
                }
            }
            var watch = MemoryPressureWatch(root: String(folder.path.dropLast())) { _ in }
            #expect(try watch != nil && isOpen())
            watch = nil
            // The thread of the watch closes its files when it wakes up.
            while try isOpen() {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    #endif
}

@Suite struct CachedVariantTests {
    private func testImage(_ width: Int, _ height: Int) throws -> DecodedImage {
        DecodedImage(
            try unsafe Bitmap(size: PixelSize(width: width, height: height), format: .gray8, alpha: .opaque) { _, _ in })
    }

    private func filled() throws -> MemoryCache {
        let cache = MemoryCache(respondsToPressure: false)
        cache.store(try testImage(400, 300), for: imageKey("a", "full"))
        cache.store(try testImage(200, 150), for: imageKey("a", "half"))
        cache.store(try testImage(100, 75), for: imageKey("a", "quarter"))
        cache.store(try testImage(150, 120), for: imageKey("b", "half"))
        return cache
    }

    @Test func listingVariantsIsNoUse() throws {
        let cache = try filled()
        #expect(cache.variants(of: ResourceKey("a")).count == 3)
        #expect(cache.peekImage(for: imageKey("a", "half")) != nil)
        #expect(cache.statistics.hits == 0)
        #expect(cache.statistics.misses == 0)
    }

    @Test func anExpiredVariantIsNotListed() throws {
        let clock = ManualSeconds()
        let cache = MemoryCache(respondsToPressure: false, now: { clock.now })
        cache.store(try testImage(9, 9), for: imageKey("a", "full"), timeToLive: .seconds(10))
        clock.advance(by: 10)
        #expect(cache.variants(of: ResourceKey("a")).isEmpty)
        #expect(cache.peekImage(for: imageKey("a", "full")) == nil)
    }

    @Test func manyVariantsGiveSixteen() throws {
        let cache = MemoryCache(respondsToPressure: false)
        for i in 0..<40 { cache.store(try testImage(8, 8), for: imageKey("a", "\(i)")) }
        #expect(cache.variants(of: ResourceKey("a")).count == 16)
    }
}
