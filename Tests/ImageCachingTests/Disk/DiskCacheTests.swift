import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

@Suite(.timeLimit(.minutes(1))) struct DiskCacheTests {
    @Test func aStoredEntryIsReadWithResponseHeadersAndTime() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        let fields: HTTPFields = [.eTag: "\"abc\"", .cacheControl: "max-age=60", .vary: "Accept, Origin"]
        let head = HTTPResponse(status: .notFound, headerFields: fields)
        try await cache.store(DataEntry(data: content(1), head: head, storedAt: 123.5), for: dataKey("a"))
        try await cache.flush()
        let found = try #require(await cache.entry(for: dataKey("a")))
        #expect(found.data == content(1))
        #expect(found.head == head)
        #expect(found.storedAt == 123.5)
        #expect(found.data.startIndex == 0)
    }

    @Test(arguments: [0, 1, 47, 65_536, 300_000, 3_000_000])
    func bodiesOfAnySizeCanBeRead(count: Int) async throws {
        let folder = try Folder()
        let cache = folder.cache()
        try await cache.store(entry(1, count: count), for: dataKey("a"))
        try await cache.flush()
        #expect(try await cache.entry(for: dataKey("a"))?.data == content(1, count: count))
        #expect(try await folder.cache().entry(for: dataKey("a"))?.data == content(1, count: count))
    }

    @Test func anEntryCanBeReadBeforeItIsWritten() async throws {
        let cache = try Folder().cache()
        for i in 0..<200 {
            try await cache.store(entry(i), for: dataKey(i))
            #expect(try await cache.entry(for: dataKey(i))?.data == content(i))
        }
    }

    @Test func aMissingEntryIsAMiss() async throws {
        let cache = try Folder().cache()
        try await cache.store(entry(1), for: dataKey("a"))
        #expect(try await cache.entry(for: dataKey("b")) == nil)
        #expect(try await cache.entry(for: dataKey("a", variant: "")) == nil)
        let statistics = await cache.statistics
        #expect(statistics.misses == 2)
        #expect(statistics.hits == 0)
    }

    @Test func storingAgainReplacesTheEntry() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        for i in 1...3 { try await cache.store(entry(i), for: dataKey("a")) }
        try await cache.flush()
        try await cache.store(entry(4), for: dataKey("a"))
        #expect(try await cache.entry(for: dataKey("a"))?.data == content(4))
        try await cache.flush()
        #expect(try await cache.entry(for: dataKey("a"))?.data == content(4))
        #expect(await cache.statistics.count == 1)
        #expect(try await folder.cache().entry(for: dataKey("a"))?.data == content(4))
    }

    @Test func aRemovedEntryIsAMissBeforeAndAfterTheRestart() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        try await cache.removeEntry(for: dataKey("a"))
        #expect(try await cache.entry(for: dataKey("a")) == nil)
        try await cache.flush()
        #expect(try await cache.entry(for: dataKey("a")) == nil)
        #expect(try await folder.cache().entry(for: dataKey("a")) == nil)
    }

    @Test func removeAllLeavesNoEntriesAndNoFiles() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        for i in 0..<100 { try await cache.store(entry(i), for: dataKey(i)) }
        try await cache.removeAll()
        #expect(try await cache.entry(for: dataKey(5)) == nil)
        let statistics = await cache.statistics
        #expect((statistics.count, statistics.byteCount, statistics.fileByteCount) == (0, 0, 0))
        #expect(folder.files.isEmpty)
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        #expect(try await folder.cache().entry(for: dataKey("a"))?.data == content(1))
    }

    @Test func namesAndFilesDoNotContainTheURL() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        try await cache.store(
            entry(1), for: DataKey(resource: ResourceKey("https://secret.example/private.jpg"), variant: "crop"))
        try await cache.flush()
        try #require(folder.files.count == 1)
        for file in folder.files {
            let bytes = try Data(contentsOf: file)
            for word in ["secret", "private", "crop"] {
                #expect(!file.lastPathComponent.contains(word))
                #expect(bytes.firstRange(of: Data(word.utf8)) == nil)
            }
        }
    }

    @Test func entriesSurviveARestart() async throws {
        let folder = try Folder()
        do {
            let cache = folder.cache()
            for i in 0..<500 { try await cache.store(entry(i), for: dataKey(i)) }
            try await cache.flush()
        }
        let cache = folder.cache()
        for i in 0..<500 { #expect(try await cache.entry(for: dataKey(i))?.data == content(i)) }
        #expect(await cache.statistics.count == 500)
    }

    @Test func statisticsCountTheOperations() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        for i in 0..<10 { try await cache.store(entry(i, count: 1_000), for: dataKey(i)) }
        try await cache.flush()
        _ = try await cache.entry(for: dataKey(3))
        _ = try await cache.entry(for: dataKey(11))
        let statistics = await cache.statistics
        #expect((statistics.hits, statistics.misses, statistics.stores, statistics.count) == (1, 1, 10, 10))
        #expect(statistics.byteCount > 10_000)
        #expect(statistics.byteCount == folder.fileBytes && statistics.fileByteCount == folder.fileBytes)
    }

    @Test func anEntryIsAFileNamedByTheDigestOfItsKey() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        for key in [dataKey("a"), dataKey("a", variant: "9x9"), DataKey(resource: ResourceKey("é").varied(by: ["x"]))] {
            try await cache.removeAll()
            try await cache.store(entry(1), for: key)
            try await cache.flush()
            let file = try #require(folder.files.first)
            #expect(file.deletingLastPathComponent().lastPathComponent + file.lastPathComponent == key.digest)
            #expect(await cache.items.map(\.name) == [key.digest])
        }
    }

    @Test func entriesOfOneSourceLieInOneFolder() throws {
        let folder = try Folder()
        #expect(folder.folder(of: dataKey("a")) == folder.folder(of: dataKey("a", variant: "9x9")))
        #expect(EntryName(dataKey("a")).words[0] == EntryName.sourceWord(of: dataKey("a", variant: "9x9").resource))
    }

    /// GAPS T1: the newer change arrives while the writer writes the older one.
    @Test(arguments: [HeldFiles.Call.create, .write, .setTimes, .rename], [false, true])
    func theLastOfTwoChangesWinsWhileTheFirstIsBeingWritten(call: HeldFiles.Call, isRemoval: Bool) async throws {
        let folder = try Folder()
        let files = HeldFiles(call)
        let cache = folder.cache(files: files)
        try await cache.store(entry(1), for: dataKey("a"))
        await files.waitForCall()
        if isRemoval {
            try await cache.removeEntry(for: dataKey("a"))
        } else {
            try await cache.store(entry(2), for: dataKey("a"))
        }
        let expected = isRemoval ? nil : content(2)
        #expect(try await cache.entry(for: dataKey("a"))?.data == expected)
        files.release()
        try await cache.flush()
        #expect(try await cache.entry(for: dataKey("a"))?.data == expected)
        #expect(try await folder.cache().entry(for: dataKey("a"))?.data == expected)
    }

    @Test func clearingWhileAWriteIsHeldRemovesWhatIsPending() async throws {
        let folder = try Folder()
        let files = HeldFiles(.write)
        let cache = folder.cache(files: files)
        for i in 0..<5 { try await cache.store(entry(i), for: dataKey(i)) }
        await files.waitForCall()
        async let clearing: Void = cache.removeAll()
        files.release()
        try await clearing
        for i in 0..<5 { #expect(try await cache.entry(for: dataKey(i)) == nil) }
        #expect(folder.files.isEmpty)
    }

    @Test func theDefaultDirectoryFollowsTheEnvironment() {
        func path(_ variables: [String: String]) -> String {
            SystemDirectories.caches { variables[$0] }.path(percentEncoded: false)
        }
        #expect(path(["XDG_CACHE_HOME": "/x/y", "HOME": "/home/me"]) == "/x/y/")
        #expect(path(["XDG_CACHE_HOME": "relative", "HOME": "/home/me"]) == "/home/me/.cache/")
        #expect(path(["HOME": "/home/me"]) == "/home/me/.cache/")
        #expect(path([:]).hasPrefix("/"))
    }
}
