import ImageCore
import Testing

@testable import ImageCaching

@Suite struct DiskCacheDamageTests {
    /// A directory with `count` entries, each in a separate pack, which no cache has open.
    private func filled(_ count: Int) async throws -> Folder {
        let folder = try Folder()
        let cache = folder.cache(limits)
        for i in 0..<count {
            try await cache.store(entry(i, count: 8_000), for: dataKey(i))
            try await cache.flush()
        }
        return folder
    }

    /// Limits so small that each pack holds one such entry.
    private let limits = DiskCache.Limits(maximumBytes: 250_000, minimumBytes: 0)

    private func edit(_ file: URL, _ change: (inout Data) -> Void) throws {
        var bytes = try Data(contentsOf: file)
        change(&bytes)
        try bytes.write(to: file)
    }

    /// The entries that still have their bytes. Fails if an entry has other bytes.
    private func survivors(in folder: Folder, of count: Int, cache: DiskCache? = nil) async throws -> [Int] {
        let cache = cache ?? folder.cache(limits)
        var found: [Int] = []
        for i in 0..<count {
            guard let entry = try await cache.entry(for: dataKey(i)) else { continue }
            #expect(entry.data == content(i, count: 8_000))
            found.append(i)
        }
        return found
    }

    @Test(arguments: [0, 20, 33, 40, 60, 70, 74, 80, 100, 4_000, 8_098])
    func aChangedByteMakesOnlyItsEntryAMiss(position: Int) async throws {
        let folder = try await filled(4)
        try edit(folder.packs[2]) { $0[position] ^= 0x10 }
        #expect(try await survivors(in: folder, of: 4) == [0, 1, 3])
    }

    @Test func aDamagedEntryIsRemovedAndCanBeStoredAgain() async throws {
        let folder = try await filled(2)
        try edit(folder.packs[0]) { $0[5_000] ^= 1 }
        let cache = folder.cache(limits)
        #expect(try await cache.entry(for: dataKey(0)) == nil)
        try await cache.flush()
        let statistics = await cache.statistics
        #expect((statistics.evictions.damaged, statistics.count) == (1, 1))
        try await cache.store(entry(0, count: 8_000), for: dataKey(0))
        #expect(try await survivors(in: folder, of: 2, cache: cache) == [0, 1])
    }

    @Test(arguments: [0, 1, 31, 32, 50, 4_000, 8_000])
    func aTruncatedPackLosesItsEntry(length: Int) async throws {
        let folder = try await filled(3)
        try edit(folder.packs[1]) { $0 = $0.prefix(length) }
        #expect(try await survivors(in: folder, of: 3) == [0, 2])
    }

    @Test func aPackThatIsTruncatedWhileTheCacheIsOpenLosesItsEntry() async throws {
        let folder = try await filled(3)
        let cache = folder.cache(limits)
        #expect(try await survivors(in: folder, of: 3, cache: cache) == [0, 1, 2])
        let file = try POSIXFiles().openDirectory(path: folder.packDirectory.path(percentEncoded: false))
        let pack = try POSIXFiles().openFile(folder.packs[1].lastPathComponent, in: file, .existing)
        try POSIXFiles().truncate(pack, to: 100)
        #expect(try await survivors(in: folder, of: 3, cache: cache) == [0, 2])
    }

    @Test func swappedPacksAreDetected() async throws {
        let folder = try await filled(3)
        let packs = folder.packs
        let (first, second) = (try Data(contentsOf: packs[0]), try Data(contentsOf: packs[1]))
        try second.write(to: packs[0])
        try first.write(to: packs[1])
        #expect(try await survivors(in: folder, of: 3) == [2])
    }

    @Test func swappedBodiesInValidPacksAreDetected() async throws {
        let folder = try await filled(2)
        let packs = folder.packs
        let (first, second) = (try Data(contentsOf: packs[0]), try Data(contentsOf: packs[1]))
        try (first.prefix(PackHeader.length) + second.dropFirst(PackHeader.length)).write(to: packs[0])
        try (second.prefix(PackHeader.length) + first.dropFirst(PackHeader.length)).write(to: packs[1])
        #expect(try await survivors(in: folder, of: 2) == [])
    }

    @Test func aMissingPackLosesOnlyItsEntries() async throws {
        let folder = try await filled(3)
        try FileManager.default.removeItem(at: folder.packs[1])
        #expect(try await survivors(in: folder, of: 3) == [0, 2])
        #expect(await folder.cache(limits).statistics.count == 2)
    }

    @Test func aTruncatedJournalKeepsTheChangesBeforeItsEnd() async throws {
        for cut in [1, 63, 64, 100] {
            let folder = try await filled(4)
            try edit(folder.packDirectory.appending(path: "journal")) { $0 = $0.dropLast(cut) }
            // The last change is that of entry 3; the one before it reserves the number of its pack.
            #expect(try await survivors(in: folder, of: 4) == [0, 1, 2])
            #expect(try await survivors(in: folder, of: 4) == [0, 1, 2], "and the next opening finds the same")
        }
    }

    @Test func garbageAfterTheJournalIsRemoved() async throws {
        let folder = try await filled(3)
        try edit(folder.packDirectory.appending(path: "journal")) { $0.append(content(5, count: 777)) }
        let cache = folder.cache(limits)
        #expect(try await survivors(in: folder, of: 3, cache: cache) == [0, 1, 2])
        try await cache.store(entry(3, count: 8_000), for: dataKey(3))
        try await cache.flush()
        #expect(try await survivors(in: folder, of: 4) == [0, 1, 2, 3])
    }

    @Test func aPackWithoutEntriesIsRemoved() async throws {
        let folder = try await filled(3)
        // A process ended after it wrote a body and before it wrote the journal: no process holds the lock of the pack.
        let orphan = folder.packs[2]
        let home = try POSIXFiles().openDirectory(path: folder.packDirectory.path(percentEncoded: false))
        let file = try POSIXFiles().openFile(orphan.lastPathComponent, in: home, .existing)
        while !(try POSIXFiles().tryLock(file)) { await Task.yield() }
        POSIXFiles().unlock(file)
        try edit(folder.packDirectory.appending(path: "journal")) { $0 = $0.dropLast(128) }
        #expect(try await survivors(in: folder, of: 3) == [0, 1])
        #expect(!FileManager.default.fileExists(atPath: orphan.path(percentEncoded: false)))
    }

    @Test func anEmptyPackFileIsRemoved() async throws {
        let folder = try await filled(1)
        // A process ended between creating the file and writing its header.
        let orphan = folder.packDirectory.appending(path: "77.pack")
        try Data().write(to: orphan)
        #expect(try await survivors(in: folder, of: 1) == [0])
        #expect(!FileManager.default.fileExists(atPath: orphan.path(percentEncoded: false)))
        // A file with any other content may belong to another program.
        try Data([0]).write(to: orphan)
        #expect(try await survivors(in: folder, of: 1) == [0])
        #expect(FileManager.default.fileExists(atPath: orphan.path(percentEncoded: false)))
    }

    @Test(arguments: 0..<40)
    func aJournalWithAChangedByteNeverServesWrongBytes(round: Int) async throws {
        let folder = try await filled(3)
        try edit(folder.packDirectory.appending(path: "journal")) { $0[(round * 37) % $0.count] ^= UInt8(1 << (round % 8)) }
        _ = try await survivors(in: folder, of: 3)
    }
}
