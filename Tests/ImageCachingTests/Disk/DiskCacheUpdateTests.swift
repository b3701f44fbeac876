import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

import CalotypeSystem

/// New response headers for a stored body, as after a 304.
@Suite(.timeLimit(.minutes(1))) struct DiskCacheUpdateTests {
    private func updated(_ tag: Int, fields: HTTPFields = [.eTag: "\"2\""], storedAt: Double = 2_000) -> DataEntry {
        DataEntry(data: content(tag), head: HTTPResponse(status: .ok, headerFields: fields), storedAt: storedAt)
    }

    private func inode(of file: URL) -> UInt64 {
        var info = stat()
        return unsafe stat(file.path(percentEncoded: false), &info) == 0 ? UInt64(info.st_ino) : 0
    }

    @Test func anUpdateReplacesTheHeadInTheFileOfTheEntry() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        let file = folder.file(of: dataKey("a"))
        let (before, number) = (try Data(contentsOf: file), inode(of: file))
        for round in 1...5 {
            try await cache.updateEntry(updated(1, fields: [.eTag: "\"\(round)\""], storedAt: Double(round)), for: dataKey("a"))
            let isWritten = round % 2 == 0
            if isWritten { try await cache.flush() }
            for cache in isWritten ? [cache, folder.cache()] : [cache] {
                let found = try #require(await cache.entry(for: dataKey("a")))
                #expect(found.data == content(1) && found.storedAt == Double(round))
                #expect(found.head.headerFields == [.eTag: "\"\(round)\""])
            }
        }
        try await cache.flush()
        let after = try Data(contentsOf: file)
        #expect(inode(of: file) == number && after.count == before.count && after.suffix(1_000) == before.suffix(1_000))
        #expect(await cache.statistics.count == 1)
    }

    @Test func anUpdateRenewsTheAgeOfTheEntry() async throws {
        let folder = try Folder()
        let clock = ManualSeconds()
        let cache = folder.cache(.init(timeToLive: .seconds(100)), clock: clock)
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        clock.advance(by: 90)
        try await cache.updateEntry(updated(1), for: dataKey("a"))
        try await cache.flush()
        clock.advance(by: 90)
        #expect(try await cache.entry(for: dataKey("a"))?.storedAt == 2_000)
    }

    /// The body is another one, the headers have no room, the entry is missing or damaged, or its file has a second
    /// name.
    @Test(arguments: ["body", "length", "headers", "missing", "damaged", "slots", "name"])
    func anUpdateThatCannotBeMadeInPlaceStoresTheEntry(obstacle: String) async throws {
        let folder = try Folder()
        let cache = folder.cache()
        let file = folder.file(of: dataKey("a"))
        let copy = folder.url.appending(path: "copy")
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        var new = updated(1)
        var bytes = try Data(contentsOf: file)
        switch obstacle {
        case "body": new = updated(2)
        case "length": new.data = content(1, count: 999)
        case "headers": new.head.headerFields[.server] = String(repeating: "x", count: 5_000)
        case "missing": try FileManager.default.removeItem(at: file)
        case "damaged":
            bytes[20] ^= 1
            try bytes.write(to: file)
        case "slots":
            bytes[80] ^= 1
            try bytes.write(to: file)
        default: try FileManager.default.linkItem(at: file, to: copy)
        }
        try await cache.updateEntry(new, for: dataKey("a"))
        try await cache.flush()
        let found = try #require(await folder.cache().entry(for: dataKey("a")))
        #expect(found.data == new.data && found.head == new.head && found.storedAt == 2_000)
        if obstacle == "name" { #expect(try Data(contentsOf: copy) == bytes) }
        #expect(await cache.statistics.count == 1)
    }

    /// Every call that changes the file system is the last one of the process.
    @Test func afterACrashAtAnyCallTheOldOrTheNewHeadIsStored() async throws {
        func work(_ files: FaultyFiles) async throws -> Folder {
            let folder = try Folder()
            let first = folder.cache()
            try await first.store(entry(1), for: dataKey("a"))
            try await first.flush()
            let cache = folder.cache(files: files)
            for round in 0..<4 {
                try await cache.updateEntry(updated(1, storedAt: 2_000 + Double(round)), for: dataKey("a"))
                try? await cache.flush()
            }
            return folder
        }
        let total = FaultyFiles(.death, at: .max)
        _ = try await work(total)
        #expect(total.count > 10)
        var seen: Set<Double> = []
        for death in 0..<total.count {
            let folder = try await work(FaultyFiles(.death, at: death))
            let found = try #require(await folder.cache().entry(for: dataKey("a")), "death at \(death)")
            #expect(found.data == content(1))
            #expect(found.head == (found.storedAt == 1_000 ? entry(1) : updated(1)).head)
            seen.insert(found.storedAt)
        }
        #expect(seen == [1_000, 2_000, 2_001, 2_002, 2_003])
    }

    @Test func bothTiersAreUpdated() async throws {
        actor Updates: DataCaching {
            private(set) var updates = 0
            func entry(for key: DataKey) -> DataEntry? { nil }
            func store(_ entry: DataEntry, for key: DataKey) {}
            func updateEntry(_ entry: DataEntry, for key: DataKey) { updates += 1 }
            func removeEntry(for key: DataKey) {}
            func removeAll() {}
        }
        let (local, shared) = (Updates(), Updates())
        try await TieredDataCache(local: local, shared: shared).updateEntry(entry(1), for: dataKey("a"))
        #expect(await local.updates == 1)
        #expect(await shared.updates == 1)
        let small = TieredDataCache(local: local, shared: shared, policy: .init(maximumSharedBytes: 10))
        try await small.updateEntry(entry(1), for: dataKey("a"))
        #expect(await local.updates == 2)
        #expect(await shared.updates == 1)
    }

    @Test func theSharedCacheIsReadIfTheLocalOneThrowsACancellationOfItsOwn() async throws {
        let (local, shared) = (LoggedDataCache { _ in CancellationError() }, LoggedDataCache())
        try await shared.store(entry(4), for: dataKey("a"))
        #expect(try await TieredDataCache(local: local, shared: shared).entry(for: dataKey("a"))?.data == content(4))
    }

    @Test func aCacheWithoutItsOwnUpdateStoresTheEntry() async throws {
        let pocket = Pocket()
        try await pocket.updateEntry(entry(3), for: dataKey("a"))
        #expect(try await pocket.entry(for: dataKey("a"))?.data == content(3))
    }
}
