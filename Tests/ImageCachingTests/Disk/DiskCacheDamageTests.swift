import ImageCore
import Testing

@testable import ImageCaching

@Suite(.timeLimit(.minutes(1))) struct DiskCacheDamageTests {
    /// A directory with `count` entries.
    private func filled(_ count: Int) async throws -> Folder {
        let folder = try Folder()
        let cache = folder.cache()
        for i in 0..<count { try await cache.store(entry(i, count: 8_000), for: dataKey(i)) }
        try await cache.flush()
        return folder
    }

    private func edit(_ file: URL, _ change: (inout Data) -> Void) throws {
        var bytes = try Data(contentsOf: file)
        change(&bytes)
        try bytes.write(to: file)
    }

    /// The entries that still have their bytes. Fails if an entry has other bytes.
    private func survivors(in folder: Folder, of count: Int, cache: DiskCache? = nil) async throws -> [Int] {
        let cache = cache ?? folder.cache()
        var found: [Int] = []
        for i in 0..<count {
            guard let entry = try await cache.entry(for: dataKey(i)) else { continue }
            #expect(entry.data == content(i, count: 8_000))
            found.append(i)
        }
        return found
    }

    /// In the magic, the digest, the lengths, the checksums, slot 0 and the body.
    @Test(arguments: [0, 7, 8, 39, 40, 47, 48, 55, 56, 59, 60, 63, 64, 72, 76, 80, 88, 100, 119, 320, 321, 4_000, 8_319])
    func aChangedByteMakesOnlyItsEntryAMiss(position: Int) async throws {
        let folder = try await filled(4)
        let file = folder.file(of: dataKey(2))
        #expect(try Data(contentsOf: file).count == 8_320)
        try edit(file) { $0[position] ^= 0x10 }
        #expect(try await survivors(in: folder, of: 4) == [0, 1, 3])
    }

    @Test func aChangedByteInTheUnusedSlotDoesNotMatter() async throws {
        let folder = try await filled(1)
        try edit(folder.file(of: dataKey(0))) { $0[200] ^= 0x10 }
        #expect(try await survivors(in: folder, of: 1) == [0])
    }

    @Test func aDamagedEntryIsRemovedAndCanBeStoredAgain() async throws {
        let folder = try await filled(2)
        try edit(folder.file(of: dataKey(0))) { $0[5_000] ^= 1 }
        let cache = folder.cache()
        #expect(try await cache.entry(for: dataKey(0)) == nil)
        try await cache.flush()
        let statistics = await cache.statistics
        #expect((statistics.evictions.damaged, statistics.count) == (1, 1))
        #expect(folder.files == [folder.file(of: dataKey(1))])
        try await cache.store(entry(0, count: 8_000), for: dataKey(0))
        #expect(try await survivors(in: folder, of: 2, cache: cache) == [0, 1])
    }

    /// The removal of the damaged file must not hit what another process stores before it.
    @Test func anEntryThatReplacesADamagedOneIsNotRemoved() async throws {
        let folder = try await filled(1)
        let files = HeldFiles(.create)
        let cache = folder.cache(files: files)
        try await cache.store(entry(9), for: dataKey(9))
        await files.waitForCall()
        try edit(folder.file(of: dataKey(0))) { $0[5_000] ^= 1 }
        #expect(try await cache.entry(for: dataKey(0)) == nil)
        let other = folder.cache()
        try await other.store(entry(0, count: 8_000), for: dataKey(0))
        try await other.flush()
        files.release()
        try await cache.flush()
        #expect(try await survivors(in: folder, of: 1) == [0])
    }

    @Test(arguments: [0, 1, 63, 64, 100, 319, 320, 4_000, 8_319])
    func aTruncatedFileIsAMissAlsoForACacheThatHasReadIt(length: Int) async throws {
        let folder = try await filled(3)
        let cache = folder.cache()
        #expect(try await survivors(in: folder, of: 3, cache: cache) == [0, 1, 2])
        try edit(folder.file(of: dataKey(1))) { $0 = $0.prefix(length) }
        #expect(try await survivors(in: folder, of: 3, cache: cache) == [0, 2])
        #expect(try await survivors(in: folder, of: 3) == [0, 2])
    }

    @Test func aFileWithMoreBytesIsAMiss() async throws {
        let folder = try await filled(2)
        try edit(folder.file(of: dataKey(1))) { $0.append(0) }
        #expect(try await survivors(in: folder, of: 2) == [0])
    }

    @Test func swappedFilesAreMisses() async throws {
        let folder = try await filled(3)
        let (one, two) = (folder.file(of: dataKey(0)), folder.file(of: dataKey(1)))
        let (first, second) = (try Data(contentsOf: one), try Data(contentsOf: two))
        try second.write(to: one)
        try first.write(to: two)
        #expect(try await survivors(in: folder, of: 3) == [2])
    }

    @Test func swappedBodiesAreMisses() async throws {
        let folder = try await filled(3)
        let (one, two) = (folder.file(of: dataKey(0)), folder.file(of: dataKey(1)))
        let (first, second) = (try Data(contentsOf: one), try Data(contentsOf: two))
        try (first.prefix(320) + second.dropFirst(320)).write(to: one)
        try (second.prefix(320) + first.dropFirst(320)).write(to: two)
        #expect(try await survivors(in: folder, of: 3) == [2])
    }

    @Test func aMissingFileOrFolderLosesOnlyItsEntries() async throws {
        let folder = try await filled(3)
        let cache = folder.cache()
        try FileManager.default.removeItem(at: folder.file(of: dataKey(1)))
        try FileManager.default.removeItem(at: folder.folder(of: dataKey(2)))
        #expect(try await survivors(in: folder, of: 3, cache: cache) == [0])
        #expect(await cache.statistics.count == 1)
        #expect(await cache.statistics.evictions.damaged == 0)
    }

    @Test(arguments: 0..<40)
    func anEntryWithAChangedByteNeverServesOtherBytes(round: Int) async throws {
        let folder = try await filled(1)
        let cache = folder.cache()
        let new = DataEntry(data: content(0, count: 8_000), storedAt: 5)
        try await cache.updateEntry(new, for: dataKey(0))
        try await cache.flush()
        try edit(folder.file(of: dataKey(0))) { $0[(round * 8) % 320] ^= UInt8(1 << (round % 8)) }
        guard let found = try await folder.cache().entry(for: dataKey(0)) else { return }
        #expect(found.data == content(0, count: 8_000) && [1_000, 5].contains(found.storedAt))
    }

    @Test func temporaryFilesOfProcessesThatEndedAreRemoved() async throws {
        let folder = try await filled(1)
        let inFolder = folder.folder(of: dataKey(0))
        let now = Int(SystemClock.secondsSince1970())
        let ages = ["0123456789abcdef": 0, "1123456789abcdef": 3_000, "2123456789abcdef": 4_000, "3123456789abcdef": -99_999]
        for (name, age) in ages {
            let file = inFolder.appending(path: name + ".tmp")
            try Data([1]).write(to: file)
            folder.setTimes(of: file, used: now - age, written: now - age)
        }
        let other = inFolder.appending(path: "other.tmp")
        try Data([1]).write(to: other)
        folder.setTimes(of: other, used: 0, written: 0)
        #expect(await folder.cache().statistics.count == 1)
        #expect(
            folder.temporaryFiles.map(\.lastPathComponent) == ["0123456789abcdef.tmp", "1123456789abcdef.tmp", "other.tmp"])
    }
}
