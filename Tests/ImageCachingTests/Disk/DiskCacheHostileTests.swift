import ImageCore
import Testing

import CalotypeSystem

@testable import ImageCaching

@Suite struct DiskCacheHostileTests {
    /// Whether a cache in the folder works, now and after a restart.
    private func cacheWorks(in folder: Folder, warnings: Warnings = Warnings()) async throws -> Bool {
        let cache = folder.cache(warnings: warnings)
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        return try await folder.cache().entry(for: dataKey("a"))?.data == content(1)
    }

    @Test func filesOfOtherProgramsAreNotTouched() async throws {
        let folder = try Folder()
        try Data("mine".utf8).write(to: folder.url.appending(path: "notes.txt"))
        let warnings = Warnings()
        #expect(try await cacheWorks(in: folder, warnings: warnings))
        #expect(try Data(contentsOf: folder.url.appending(path: "notes.txt")) == Data("mine".utf8))
        #expect(warnings.kinds.isEmpty)
    }

    @Test func aForeignDirectoryOfTheSameNameIsSetAsideWithOneWarning() async throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(at: folder.packDirectory, withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: folder.packDirectory.appending(path: "notes.txt"))
        let warnings = Warnings()
        #expect(try await cacheWorks(in: folder, warnings: warnings))
        #expect(warnings.kinds == [.setAside])
        let aside = folder.url.appending(path: "images-v1.aside-1/notes.txt")
        #expect(try Data(contentsOf: aside) == Data("mine".utf8))
    }

    @Test func aDirectoryWithADamagedJournalHeaderIsSetAside() async throws {
        let folder = try Folder()
        #expect(try await cacheWorks(in: folder))
        let journal = folder.packDirectory.appending(path: "journal")
        var bytes = try Data(contentsOf: journal)
        bytes[20] ^= 1
        try bytes.write(to: journal)
        let packs = folder.packs.map(\.lastPathComponent)
        let warnings = Warnings()
        #expect(try await folder.cache(warnings: warnings).entry(for: dataKey("a")) == nil)
        #expect(warnings.kinds == [.setAside])
        #expect(folder.names(in: folder.url.appending(path: "images-v1.aside-1")).contains(packs[0]))
        #expect(try await cacheWorks(in: folder))
    }

    @Test func aJournalOfAnotherVersionIsSetAside() async throws {
        let folder = try Folder()
        #expect(try await cacheWorks(in: folder))
        let journal = folder.packDirectory.appending(path: "journal")
        var bytes = try Data(contentsOf: journal)
        bytes[8] = 2
        try bytes.write(to: journal)
        let warnings = Warnings()
        #expect(try await cacheWorks(in: folder, warnings: warnings))
        #expect(warnings.kinds == [.setAside])
    }

    @Test func afterNineDirectoriesSetAsideTheCacheStaysOff() async throws {
        let folder = try Folder()
        for _ in 0..<9 {
            #expect(try await cacheWorks(in: folder))
            try Data("x".utf8).write(to: folder.packDirectory.appending(path: "journal"))
        }
        #expect(try await cacheWorks(in: folder))
        try Data("x".utf8).write(to: folder.packDirectory.appending(path: "journal"))
        let warnings = Warnings()
        let cache = folder.cache(warnings: warnings)
        try await cache.store(entry(1), for: dataKey("a"))
        #expect(try await cache.entry(for: dataKey("a")) == nil)
        #expect(warnings.kinds == [.unavailable])
    }

    @Test func symbolicLinksInPlaceOfFilesAreNotFollowed() async throws {
        let outside = try Folder()
        let treasure = outside.url.appending(path: "treasure")
        try Data("gold".utf8).write(to: treasure)
        for name in ["images-v1", "images-v1/journal", "images-v1/journal.new", "images-v1/1.pack", "images-v1.lock"] {
            let folder = try Folder()
            try FileManager.default.createDirectory(at: folder.packDirectory, withIntermediateDirectories: true)
            let link = folder.url.appending(path: name)
            try? FileManager.default.removeItem(at: link)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: treasure)
            let cache = folder.cache()
            try await cache.store(entry(1), for: dataKey("a"))
            try await cache.flush()
            #expect(try Data(contentsOf: treasure) == Data("gold".utf8), "\(name)")
        }
        // A link to a directory is not followed, either.
        let folder = try Folder()
        try FileManager.default.createSymbolicLink(at: folder.packDirectory, withDestinationURL: outside.url)
        #expect(try await cacheWorks(in: folder))
        #expect(outside.names(in: outside.url) == ["treasure"])
    }

    @Test func aHugeJournalIsNotRead() async throws {
        let folder = try Folder()
        #expect(try await cacheWorks(in: folder))
        let files = POSIXFiles()
        let home = try files.openDirectory(path: folder.packDirectory.path(percentEncoded: false))
        try files.truncate(try files.openFile("journal", in: home, .existing), to: 1 << 40)
        let warnings = Warnings()
        #expect(try await folder.cache(warnings: warnings).entry(for: dataKey("a")) == nil)
        #expect(warnings.kinds == [.setAside])
    }

    /// Appends records with valid checksums to the journal.
    private func forge(_ changes: [IndexChange], in folder: Folder) throws {
        let journal = folder.packDirectory.appending(path: "journal")
        var bytes = Array(try Data(contentsOf: journal))
        let epoch = try #require(JournalHeader(bytes)).epoch
        for change in changes { change.encode(to: &bytes, at: bytes.count, epoch: epoch) }
        try Data(bytes).write(to: journal)
    }

    @Test(arguments: [UInt64.max, 0xffff_ffff_ffff_fffe, 0x400_0000_0000, 0x3ff_ffff_ffff, 0x200_0000_0001])
    func aForgedNumberOfAPackDoesNotStopStores(number: UInt64) async throws {
        for change in [IndexChange.packFloor(number), .packEnd(number, 64), .dropPack(number)] {
            let folder = try Folder()
            #expect(try await cacheWorks(in: folder))
            try forge([change], in: folder)
            #expect(try await cacheWorks(in: folder))
            #expect(try await cacheWorks(in: folder))
        }
    }

    @Test func aPackFileWithTheLargestNumberDoesNotExhaustTheNumbers() async throws {
        let folder = try Folder()
        #expect(try await cacheWorks(in: folder))
        try Data().write(to: folder.packDirectory.appending(path: "18446744073709551614.pack"))
        #expect(try await cacheWorks(in: folder))
        #expect(try await cacheWorks(in: folder))
    }

    @Test func aJournalWithMoreBytesThanAnyDiskHoldsIsSetAside() async throws {
        let folder = try Folder()
        #expect(try await cacheWorks(in: folder))
        try forge((2..<1_030).map { .packEnd($0, (1 << 42) - 1) }, in: folder)
        let warnings = Warnings()
        #expect(try await cacheWorks(in: folder, warnings: warnings))
        #expect(warnings.kinds == [.setAside])
    }

    @Test func overlappingEntriesOfAPackCountWithTheirClaimedBytes() async throws {
        let folder = try Folder()
        #expect(try await cacheWorks(in: folder))
        let place = PackLocation(pack: 1, offset: 32, headLength: 2, bodyLength: (1 << 42) - 1)
        try forge((0..<1_030).map { .put(EntryName(low: $0, high: 0), place, writtenAt: 0) }, in: folder)
        let warnings = Warnings()
        #expect(try await cacheWorks(in: folder, warnings: warnings))
        #expect(warnings.kinds == [.setAside])
    }

    @Test func readingStopsAtTheMaximumNumberOfPacks() async throws {
        let folder = try Folder()
        #expect(try await cacheWorks(in: folder))
        try forge((0..<100_100).map { .packEnd($0, 64) }, in: folder)
        let warnings = Warnings()
        #expect(try await cacheWorks(in: folder, warnings: warnings))
        #expect(warnings.kinds == [.setAside])
    }

    @Test func changesOfAnotherProcessBeyondTheBoundsDoNotOverflow() async throws {
        let folder = try Folder()
        let warnings = Warnings()
        let cache = folder.cache(warnings: warnings)
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        try forge((2..<3_000).map { .packEnd($0, (1 << 42) - 1) }, in: folder)
        #expect(await cache.statistics.fileByteCount < 1 << 51)
        #expect(warnings.kinds == [.writeFailed])
        #expect(try await cacheWorks(in: folder))
    }

    @Test func anIndexWithMoreEntriesThanTheMaximumIsOutOfBounds() {
        var index = DiskIndex()
        let place = PackLocation(pack: 1, offset: 32, headLength: 2, bodyLength: 1)
        var count: UInt64 = 0
        while index.isWithinBounds, count < 2_000_000 {
            index.apply(.put(EntryName(low: count, high: 0), place, writtenAt: 0))
            count += 1
        }
        #expect(count == 196_001)
    }

    @Test func filesWithOtherNamesAmongThePacksAreNotTouched() async throws {
        let folder = try Folder()
        #expect(try await cacheWorks(in: folder))
        let names = [
            "x.pack", "-1.pack", "007.pack", "18446744073709551616.pack", "18446744073709551615.pack", "9.pack", "café", "12",
        ]
        for name in names {
            try Data("not a pack of this cache, and not short".utf8).write(to: folder.packDirectory.appending(path: name))
        }
        try FileManager.default.createDirectory(
            at: folder.packDirectory.appending(path: "11.pack"), withIntermediateDirectories: false)
        #expect(try await cacheWorks(in: folder))
        for name in names + ["11.pack"] { #expect(folder.names(in: folder.packDirectory).contains(name)) }
        // Numbers in use are skipped.
        let cache = folder.cache(.init(maximumBytes: 300_000, minimumBytes: 0))
        for i in 0..<40 { try await cache.store(entry(i, count: 9_000), for: dataKey(i)) }
        try await cache.flush()
        #expect(try await cache.entry(for: dataKey(39))?.data == content(39, count: 9_000))
    }

    /// Whether a cache in the directory stores nothing, changes nothing and warns once.
    private func isRejected(_ directory: URL) async throws -> Bool {
        let warnings = Warnings()
        let cache = DiskCache(.init(directory: directory, onWarning: { warnings.add($0) }))
        for _ in 0..<2 { try await cache.store(entry(1), for: dataKey("a")) }
        try? await cache.flush()
        let found = try await cache.entry(for: dataKey("a"))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false))
        return found == nil && warnings.kinds == [.unavailable] && !names.contains { $0.hasSuffix(".lock") }
    }

    @Test(arguments: [0o777, 0o1777, 0o702] as [mode_t])
    func aDirectoryThatOtherUsersCanWriteToIsNotUsed(mode: mode_t) async throws {
        let folder = try Folder()
        #expect(unsafe chmod(folder.path, mode) == 0)
        #expect(try await isRejected(folder.url))
        // A directory below it, created by this user, is usable.
        let below = folder.url.appending(path: "below", directoryHint: .isDirectory)
        let cache = DiskCache(.init(directory: below))
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        #expect(try await DiskCache(.init(directory: below)).entry(for: dataKey("a")) != nil)
        var info = stat()
        #expect(unsafe stat(below.path(percentEncoded: false), &info) == 0 && info.st_mode & 0o777 == 0o700)
    }

    @Test func aCacheDirectoryThatOtherUsersCanWriteToIsNotUsed() async throws {
        let folder = try Folder()
        #expect(try await cacheWorks(in: folder))
        #expect(unsafe chmod(folder.packDirectory.path(percentEncoded: false), 0o777) == 0)
        let warnings = Warnings()
        #expect(try await folder.cache(warnings: warnings).entry(for: dataKey("a")) == nil)
        #expect(warnings.kinds == [.unavailable])
    }

    @Test(.enabled(if: geteuid() == 0, "Giving files to another user needs permission."))
    func aDirectoryOfAnotherUserIsNotUsed() async throws {
        let folder = try Folder()
        #expect(unsafe chown(folder.path, 65_534, 65_534) == 0)
        #expect(try await isRejected(folder.url))
    }

    @Test(.enabled(if: geteuid() == 0, "Giving files to another user needs permission."))
    func linksAndParentsOfAnotherUserAreNotFollowed() async throws {
        let (open, own) = (try Folder(), try Folder())
        #expect(unsafe chmod(open.path, 0o1777) == 0)
        let (link, parent) = (open.url.appending(path: "link"), open.url.appending(path: "parent"))
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: own.url)
        try FileManager.default.createDirectory(at: parent.appending(path: "child"), withIntermediateDirectories: true)
        for planted in [link, parent] { #expect(unsafe lchown(planted.path(percentEncoded: false), 65_534, 65_534) == 0) }
        #expect(try await isRejected(link))
        #expect(try await isRejected(parent.appending(path: "child")))
    }

    @Test func aDirectoryThatCannotBeCreatedTurnsTheCacheOffWithOneWarning() async throws {
        let folder = try Folder()
        let file = folder.url.appending(path: "file")
        try Data().write(to: file)
        let warnings = Warnings()
        let cache = DiskCache(.init(directory: file.appending(path: "below"), onWarning: { warnings.add($0) }))
        for i in 0..<3 {
            try await cache.store(entry(i), for: dataKey(i))
            #expect(try await cache.entry(for: dataKey(i)) == nil)
            try await cache.removeEntry(for: dataKey(i))
            try await cache.flush()
        }
        #expect(await cache.statistics.count == 0)
        #expect(warnings.kinds == [.unavailable])
        #expect(warnings.messages.first?.contains("file") == true)
    }

    @Test func clearingACacheThatCannotBeOpenedThrows() async throws {
        let folder = try Folder()
        let file = folder.url.appending(path: "file")
        try Data().write(to: file)
        let cache = DiskCache(.init(directory: file.appending(path: "below")))
        let error = await #expect(throws: ImageError.self) { try await cache.removeAll() }
        #expect(error?.code == .cacheFailed)
    }

    @Test func aDirectoryThatIsDeletedTurnsTheCacheOffWithOneWarning() async throws {
        let folder = try Folder()
        let warnings = Warnings()
        let cache = folder.cache(warnings: warnings)
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        try FileManager.default.removeItem(at: folder.url)
        for i in 0..<3 {
            #expect(try await cache.entry(for: dataKey("a")) == nil)
            try await cache.store(entry(i), for: dataKey(i))
            try await cache.flush()
            #expect(try await cache.entry(for: dataKey(i)) == nil)
        }
        #expect(warnings.kinds == [.directoryLost])
    }
}
