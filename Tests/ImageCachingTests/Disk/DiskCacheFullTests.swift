import ImageCore
import Testing
import Timing

@testable import ImageCaching

/// A disk without free space.
@Suite(.timeLimit(.minutes(1))) struct DiskCacheFullTests {
    /// A cache of twelve entries on a disk without free space; entry 0 was used last.
    private func fullCache(
        in folder: Folder, on disk: SmallDisk, warnings: Warnings = Warnings(), files: (any FileSystem)? = nil
    ) async throws -> DiskCache {
        let cache = folder.cache(warnings: warnings, files: files ?? disk)
        for i in 0..<12 { try await cache.store(entry(i, count: 3_000), for: dataKey(i)) }
        _ = try await cache.entry(for: dataKey(0))
        try? await cache.flush()
        disk.fill()
        return cache
    }

    /// The entries that a new cache on a disk with free space finds, all of them complete.
    private func found(in folder: Folder) async throws -> [Int] {
        let cache = folder.cache()
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
        #expect(folder.files.isEmpty)
        #expect(try await found(in: folder).isEmpty)
    }

    @Test func trimmingOnAFullDiskKeepsTheMostRecentlyUsedEntries() async throws {
        let folder = try Folder()
        let cache = try await fullCache(in: folder, on: SmallDisk(capacity: 1_000_000))
        try await cache.trim(toBytes: 16_000)
        #expect(folder.fileBytes <= 16_000)
        #expect(try await found(in: folder) == [0, 9, 10, 11])
        #expect(await cache.statistics.evictions.overLimit == 8)
    }

    @Test func withAnySpaceLeftAnEntryIsStoredOrCountedAsLost() async throws {
        var kept = 0
        for room in stride(from: 2_900, to: 3_400, by: 24) {
            let folder = try Folder()
            let disk = SmallDisk(capacity: 1_000_000)
            let cache = try await fullCache(in: folder, on: disk)
            disk.fill(but: room)
            try await cache.store(entry(99, count: 3_000), for: dataKey("new"))
            try await cache.flush()
            let isKept = await cache.statistics.refusals == 0
            kept += isKept ? 1 : 0
            let again = folder.cache()
            #expect(try await again.entry(for: dataKey("new"))?.data == (isKept ? content(99, count: 3_000) : nil), "\(room)")
            #expect(try await found(in: folder) == Array(0..<12), "\(room)")
            #expect(folder.temporaryFiles.isEmpty)
        }
        #expect((1..<20).contains(kept))
    }

    @Test func anEntryThatCannotBeReplacedIsRemoved() async throws {
        let folder = try Folder()
        let warnings = Warnings()
        let cache = try await fullCache(in: folder, on: SmallDisk(capacity: 1_000_000), warnings: warnings)
        try await cache.store(entry(77, count: 3_000), for: dataKey(3))
        try await cache.flush()
        #expect(try await found(in: folder) == [0, 1, 2] + Array(4..<12))
        #expect(await cache.statistics.refusals == 1)
        #expect(warnings.kinds == [.writeFailed])
        #expect(warnings.messages.first?.contains(SystemError.text(28)) == true)
    }

    @Test func anEntryRemovedOnAFullDiskStaysRemovedAfterARestart() async throws {
        let folder = try Folder()
        let cache = try await fullCache(in: folder, on: SmallDisk(capacity: 1_000_000))
        try await cache.removeEntry(for: dataKey(11))
        try await cache.flush()
        #expect(try await found(in: folder) == Array(0..<11))
    }

    @Test func usesAndNewHeadsAreRecordedOnAFullDisk() async throws {
        let folder = try Folder()
        let warnings = Warnings()
        let cache = try await fullCache(in: folder, on: SmallDisk(capacity: 1_000_000), warnings: warnings)
        for i in 0..<12 { #expect(try await cache.entry(for: dataKey(i)) != nil) }
        try await cache.updateEntry(DataEntry(data: content(5, count: 3_000), storedAt: 7), for: dataKey(5))
        try await cache.flush()
        #expect(warnings.kinds.isEmpty)
        #expect(try await found(in: folder) == Array(0..<12))
        #expect(try await folder.cache().entry(for: dataKey(5))?.storedAt == 7)
    }

    @Test func failedStoresLeaveNoFiles() async throws {
        let folder = try Folder()
        let cache = folder.cache(files: SmallDisk(capacity: 40_000))
        for i in 0..<100 {
            try await cache.store(entry(i, count: 3_000), for: dataKey(i))
            if i % 3 == 0 { try? await cache.flush() }
        }
        try? await cache.flush()
        let statistics = await cache.statistics
        #expect(statistics.refusals > 0)
        #expect(folder.fileBytes == statistics.fileByteCount && folder.fileBytes <= 40_000)
        #expect(folder.temporaryFiles.isEmpty)
    }

    @Test func afterACrashAtAnyCallOnAFullDiskTheCacheOpensAndNoEntryIsTorn() async throws {
        for clears in [true, false] {
            @Sendable func work(dyingAt death: Int) async throws -> (Folder, FaultyFiles) {
                let folder = try Folder()
                let disk = SmallDisk(capacity: 1_000_000)
                let files = FaultyFiles(.death, at: death, on: disk)
                let cache = try await fullCache(in: folder, on: disk, files: files)
                try? await clears ? cache.removeAll() : cache.trim(toBytes: 20_000)
                return (folder, files)
            }
            let total = try await work(dyingAt: .max).1.count
            try await checkEach(of: 0..<total, atATime: 4) { death in
                let (folder, _) = try await work(dyingAt: death)
                let warnings = Warnings()
                let cache = folder.cache(warnings: warnings)
                for i in 0..<12 {
                    if let found = try await cache.entry(for: dataKey(i)) { #expect(found.data == content(i, count: 3_000)) }
                }
                let statistics = await cache.statistics
                #expect(warnings.kinds.isEmpty, "death at \(death): \(warnings.messages)")
                #expect(statistics.evictions.damaged == 0, "death at \(death)")
                #expect(statistics.fileByteCount <= folder.fileBytes, "death at \(death)")
                try await cache.store(entry(99), for: dataKey("after"))
                try await cache.flush()
                #expect(try await folder.cache().entry(for: dataKey("after"))?.data == content(99))
            }
        }
    }
}
