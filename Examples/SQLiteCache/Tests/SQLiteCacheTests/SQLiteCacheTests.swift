import CSQLite
import CalotypeTesting
import Foundation
import ImageCore
import Testing

@testable import SQLiteCache

@Suite(.timeLimit(.minutes(1))) struct SQLiteCacheTests {
    @Test func anEntrySurvivesInTheFileWithAllOfItsHead() async throws {
        let folder = try Folder()
        var head = HTTPResponse(status: .init(code: 299, reasonPhrase: "Odd"))
        head.headerFields.append(HTTPField(name: .vary, value: "Accept"))
        head.headerFields.append(HTTPField(name: .eTag, value: "\"1\""))
        head.headerFields.append(HTTPField(name: .vary, value: "Accept-Language"))
        // No UTF-8.
        head.headerFields.append(HTTPField(name: .contentDisposition, value: [0x66, 0xfc, 0x72] as [UInt8]))
        let stored = DataEntry(data: body(1), head: head, storedAt: 1_234_567_890.123_456_7)
        try await folder.cache().store(stored, for: key("a"))
        let found = try #require(try await folder.cache().entry(for: key("a")))
        #expect(found.data == stored.data)
        #expect(found.head == stored.head)
        #expect(found.head.headerFields.map(\.name) == [.vary, .eTag, .vary, .contentDisposition])
        #expect(found.head.headerFields.last?.withUnsafeBytesOfValue { Array($0) } == [0x66, 0xfc, 0x72])
        #expect(found.storedAt == stored.storedAt)
    }

    @Test func aFlushWritesEverythingToTheFile() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        try await cache.store(entry(1), for: key("a"))
        #expect(try Data(contentsOf: folder.file).range(of: body(1)) == nil)
        try await cache.flush()
        #expect(try Data(contentsOf: folder.file).range(of: body(1)) != nil)
        #expect(try Data(contentsOf: URL(filePath: folder.file.path(percentEncoded: false) + "-wal")).isEmpty)
    }

    @Test func anUpdateOfTheHeadDoesNotWriteTheBody() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        try await cache.store(entry(1), for: key("a"))
        try await cache.store(entry(2), for: key("b"))
        func row(of key: DataKey) throws -> Int64? {
            let database = try Database(path: folder.file.path(percentEncoded: false))
            return try database.run("SELECT rowid FROM bodies WHERE name = ?", .text(key.digest)) { sqlite3_column_int64($0, 0) }
        }
        let before = try row(of: key("a"))
        try await cache.updateEntry(DataEntry(data: body(1), storedAt: 7), for: key("a"))
        #expect(try row(of: key("a")) == before)
        #expect(try await cache.entry(for: key("a"))?.storedAt == 7)
        try await cache.store(entry(3), for: key("a"))
        #expect(try row(of: key("a")) != before)
        // The entry was evicted since it was read.
        try await cache.updateEntry(entry(4), for: key("evicted"))
        #expect(try await cache.entry(for: key("evicted"))?.data == body(4))
    }

    @Test func theLeastRecentlyUsedEntriesAreEvicted() async throws {
        let folder = try Folder()
        let time = Lock(0.0)
        let cache = folder.cache(maximumBytes: 100_000) {
            time.withLock { time in
                time += 1
                return time
            }
        }
        for number in 0..<9 { try await cache.store(entry(number, count: 10_000), for: key("\(number)")) }
        #expect(try await cache.entry(for: key("0")) != nil)
        try await cache.flush()
        // Uses are in the file.
        let reopened = folder.cache(maximumBytes: 100_000) { 1_000 }
        try await reopened.store(entry(9, count: 10_000), for: key("9"))
        var kept: [Int] = []
        for number in 0..<10 where try await reopened.entry(for: key("\(number)")) != nil { kept.append(number) }
        #expect(kept == [0, 3, 4, 5, 6, 7, 8, 9])
        #expect(reopened.cacheStatistics[0].count == 8)
    }

    @Test func aTooLargeEntryIsRefusedAndRemovesTheOldOne() async throws {
        let cache = try Folder().cache(maximumBytes: 10_000)
        try await cache.store(entry(1), for: key("a"))
        try await cache.store(entry(2, count: 6_000), for: key("a"))
        #expect(try await cache.entry(for: key("a")) == nil)
        #expect(cache.cacheStatistics[0].refusals == 1)
    }

    @Test func entriesExpire() async throws {
        let time = Lock(1_000.0)
        let cache = try Folder().cache(timeToLive: .seconds(60)) { time.withLock { $0 } }
        try await cache.store(entry(1), for: key("a"))
        time.withLock { $0 = 1_060 }
        #expect(try await cache.entry(for: key("a")) != nil)
        time.withLock { $0 = 1_061 }
        #expect(try await cache.entry(for: key("a")) == nil)
        #expect(cache.cacheStatistics[0].count == 1)
        try await cache.flush()
        #expect(cache.cacheStatistics[0].count == 0)
    }

    @Test func aRemovalOfAllGivesTheSpaceBack() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        for number in 0..<50 { try await cache.store(entry(number, count: 20_000), for: key("\(number)")) }
        try await cache.flush()
        #expect(try Data(contentsOf: folder.file).count > 1_000_000)
        try await cache.removeAll()
        #expect(try Data(contentsOf: folder.file).count < 100_000)
        #expect(cache.cacheStatistics[0].byteCount == 0)
    }

    @Test func keysAreNoPartOfStatements() async throws {
        let cache = try Folder().cache()
        try await cache.store(entry(1), for: key("other"))
        let names = ["'; DROP TABLE entries; --", "%", "../../a", "a\0b", "\u{202e}🖼", String(repeating: "x", count: 100_000)]
        for (number, name) in names.enumerated() {
            let processed = key(name, variant: name)
            try await cache.store(entry(number), for: processed)
            #expect(try await cache.entry(for: processed)?.data == body(number))
            #expect(try await cache.entry(for: key(name)) == nil)
            try await cache.removeEntries(of: key(name).resource)
            #expect(try await cache.entry(for: processed) == nil)
            #expect(try await cache.entry(for: key("other"))?.data == body(1))
        }
    }

    @Test(arguments: ["file:a?mode=memory", "100% #1", ":memory:", "'\";--", "ä 🖼"])
    func theDirectoryMayHaveAnyName(name: String) async throws {
        let folder = try Folder(name: name)
        try await folder.cache().store(entry(1), for: key("a"))
        #expect(FileManager.default.fileExists(atPath: folder.file.path(percentEncoded: false)))
        #expect(try await folder.cache().entry(for: key("a"))?.data == body(1))
    }
}
