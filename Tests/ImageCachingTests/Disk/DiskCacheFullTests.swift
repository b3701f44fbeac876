import ImageCore
import Testing

@testable import ImageCaching

/// A disk so full that the journal cannot grow, not even to record removals.
@Suite struct DiskCacheFullTests {
    private static let limits = DiskCache.Limits(maximumBytes: 300_000, minimumBytes: 0)

    /// A cache of twelve entries in several packs on a disk without free space; entry 0 was used last.
    private func fullCache(
        in folder: Folder, on disk: SmallDisk, warnings: Warnings = Warnings(), files: (any FileSystem)? = nil
    ) async throws -> DiskCache {
        let cache = folder.cache(Self.limits, warnings: warnings, files: files ?? disk)
        for i in 0..<12 {
            try await cache.store(entry(i, count: 3_000), for: dataKey(i))
            try? await cache.flush()
        }
        _ = try await cache.entry(for: dataKey(0))
        try? await cache.flush()
        disk.fill()
        return cache
    }

    /// The entries that a new cache on a disk with free space finds, all of them complete.
    private func found(in folder: Folder) async throws -> [Int] {
        let cache = folder.cache(Self.limits)
        var result: [Int] = []
        for i in 0..<12 {
            guard let found = try await cache.entry(for: dataKey(i)) else { continue }
            #expect(found.data == content(i, count: 3_000))
            result.append(i)
        }
        #expect(await cache.statistics.evictions.damaged == 0)
        return result
    }

    @Test func aFullDiskCanBeCleared() async throws {
        let folder = try Folder()
        let cache = try await fullCache(in: folder, on: SmallDisk(capacity: 1_000_000))
        try await cache.removeAll()
        #expect(folder.packBytes == 0)
        #expect(try await found(in: folder).isEmpty)
    }

    @Test func trimmingOnAFullDiskKeepsTheMostRecentlyUsedEntries() async throws {
        let folder = try Folder()
        let cache = try await fullCache(in: folder, on: SmallDisk(capacity: 1_000_000))
        try await cache.trim(toBytes: 20_000)
        #expect(folder.packBytes <= 20_000)
        let left = try await found(in: folder)
        #expect(left.contains(0) && left.contains(11))
        #expect(await cache.statistics.evictions.overLimit == 12 - left.count)
    }

    @Test func aPackThatCannotBeCopiedOnAFullDiskIsEvicted() async throws {
        let folder = try Folder()
        let disk = SmallDisk(capacity: 1_000_000)
        let cache = try await fullCache(in: folder, on: disk)
        // One entry of each pack stays, so that no pack is empty. There is space for the journal, but not for a copy of an entry.
        for i in [3, 6, 9] { _ = try await cache.entry(for: dataKey(i)) }
        disk.fill(but: 2_000)
        try await cache.trim(toBytes: 14_000)
        #expect(folder.packBytes <= 14_000)
        let left = try await found(in: folder)
        // The space of the first pack was used for the remaining entries of the others.
        #expect(left.count == 3 && Set(left).isSubset(of: [0, 3, 6, 9]))
        #expect(await cache.statistics.evictions.overLimit == 9)
    }

    /// Several packs, or only the active one, which also holds the new entry.
    @Test(arguments: [(entries: 12, limit: 300_000), (entries: 1, limit: 400_000_000)])
    func withAnySpaceLeftAnEntryIsStoredOrCountedAsLost(entries: Int, limit: Int) async throws {
        for room in stride(from: 2_900, to: 3_400, by: 24) {
            let folder = try Folder()
            let disk = SmallDisk(capacity: 1_000_000)
            let cache = folder.cache(.init(maximumBytes: limit, minimumBytes: 0), files: disk)
            for i in 0..<entries { try await cache.store(entry(i, count: 3_000), for: dataKey(i)) }
            _ = try await cache.entry(for: dataKey(0))
            try await cache.flush()
            disk.fill(but: room)
            try await cache.store(entry(99, count: 3_000), for: dataKey("new"))
            try await cache.flush()
            let isKept = await cache.statistics.refusals == 0
            let again = folder.cache(.init(maximumBytes: limit, minimumBytes: 0))
            #expect(try await again.entry(for: dataKey("new"))?.data == (isKept ? content(99, count: 3_000) : nil), "\(room)")
            #expect(try await again.entry(for: dataKey(0))?.data == content(0, count: 3_000), "\(room)")
            #expect(await again.statistics.evictions.damaged == 0, "\(room)")
        }
    }

    @Test func aCacheOfOneActivePackCanBeClearedOnAFullDisk() async throws {
        let folder = try Folder()
        let disk = SmallDisk(capacity: 1_000_000)
        let cache = folder.cache(files: disk)
        try await cache.store(entry(1), for: dataKey(1))
        try await cache.flush()
        disk.fill()
        try await cache.trim(toBytes: 0)
        #expect(folder.packBytes == 0)
        try await cache.store(entry(2, count: 100), for: dataKey(2))
        try await cache.flush()
        #expect(try await folder.cache().entry(for: dataKey(2))?.data == content(2, count: 100))
    }

    @Test func anEntryRemovedOnAFullDiskStaysRemovedAfterARestart() async throws {
        let folder = try Folder()
        let cache = try await fullCache(in: folder, on: SmallDisk(capacity: 1_000_000))
        try await cache.removeEntry(for: dataKey(11))
        try await cache.flush()
        // The journal used the space of the least recently used pack.
        #expect(try await found(in: folder) == [0, 1, 2, 6, 7, 8, 9, 10])
    }

    @Test func recordingUsesOnAFullDiskEvictsNoEntry() async throws {
        let folder = try Folder()
        let warnings = Warnings()
        let cache = try await fullCache(in: folder, on: SmallDisk(capacity: 1_000_000), warnings: warnings)
        for i in 0..<12 { #expect(try await cache.entry(for: dataKey(i)) != nil) }
        try await cache.flush()
        #expect(warnings.kinds == [.writeFailed])
        #expect(try await found(in: folder) == Array(0..<12))
    }

    @Test func failedStoresLeaveNoFilesAndNoBytes() async throws {
        let folder = try Folder()
        let cache = folder.cache(Self.limits, files: SmallDisk(capacity: 40_000))
        for i in 0..<100 {
            try await cache.store(entry(i, count: 3_000), for: dataKey(i))
            if i % 3 == 0 { try? await cache.flush() }
        }
        try? await cache.flush()
        let statistics = await cache.statistics
        #expect(statistics.refusals > 0)
        #expect(folder.packBytes == statistics.fileByteCount)
        #expect(folder.packs.count <= 12)
    }

    @Test func aJournalThatCannotBeRewrittenIsContinued() async throws {
        let folder = try Folder()
        let disk = SmallDisk(capacity: 10_000_000)
        let warnings = Warnings()
        let cache = folder.cache(warnings: warnings, files: disk)
        for i in 0..<300 { try await cache.store(entry(i, count: 10), for: dataKey(i)) }
        func use(rounds: Int) async throws {
            for _ in 0..<rounds {
                for i in 0..<256 { _ = try await cache.entry(for: dataKey(i)) }
                try await cache.flush()
            }
        }
        // After one more round most of the journal is outdated, but there is no space for a new one.
        try await use(rounds: 17)
        disk.fill(but: 256 * IndexChange.length + 2_000)
        try await use(rounds: 1)
        try await cache.store(entry(999, count: 100), for: dataKey("last"))
        try await cache.flush()
        #expect(warnings.kinds == [.writeFailed])
        #expect(folder.names(in: folder.packDirectory) == ["1.pack", "journal"])
        let again = folder.cache(warnings: warnings, files: disk)
        #expect(try await again.entry(for: dataKey("last"))?.data == content(999, count: 100))
        #expect(warnings.kinds == [.writeFailed, .writeFailed])
    }

    @Test func afterACrashAtAnyCallOnAFullDiskTheCacheOpensAndNoEntryIsTorn() async throws {
        for clears in [true, false] {
            func work(dyingAt death: Int) async throws -> (Folder, FaultyFiles) {
                let folder = try Folder()
                let disk = SmallDisk(capacity: 1_000_000)
                let files = FaultyFiles(.death, at: death, on: disk)
                let cache = try await fullCache(in: folder, on: disk, files: files)
                try? await clears ? cache.removeAll() : cache.trim(toBytes: 20_000)
                return (folder, files)
            }
            let total = try await work(dyingAt: .max).1.count
            for death in 0..<total {
                let (folder, _) = try await work(dyingAt: death)
                let warnings = Warnings()
                let cache = folder.cache(Self.limits, warnings: warnings)
                for i in 0..<12 {
                    if let found = try await cache.entry(for: dataKey(i)) { #expect(found.data == content(i, count: 3_000)) }
                }
                let statistics = await cache.statistics
                #expect(warnings.kinds.isEmpty, "death at \(death): \(warnings.messages)")
                #expect(statistics.evictions.damaged == 0, "death at \(death)")
                #expect(statistics.fileByteCount <= folder.packBytes, "death at \(death)")
                try await cache.store(entry(99), for: dataKey("after"))
                try await cache.flush()
                #expect(try await folder.cache(Self.limits).entry(for: dataKey("after"))?.data == content(99))
            }
        }
    }

    @Test func entriesOfAPackThatAnotherCacheEvictedAreMisses() async throws {
        let folder = try Folder()
        let disk = SmallDisk(capacity: 1_000_000)
        let cache = try await fullCache(in: folder, on: disk)
        let other = folder.cache(Self.limits, files: disk)
        for i in 0..<12 { #expect(try await other.entry(for: dataKey(i)) != nil) }
        try await cache.removeAll()
        for i in 0..<12 { #expect(try await other.entry(for: dataKey(i)) == nil) }
        #expect(await other.statistics.evictions.damaged == 0)
    }
}
