import ImageCore
import Testing

import CalotypeSystem

@testable import ImageCaching

@Suite(.timeLimit(.minutes(1))) struct DiskCacheHostileTests {
    /// Whether a cache in the folder works, now and after a restart.
    private func cacheWorks(in folder: Folder, warnings: Warnings = Warnings()) async throws -> Bool {
        let cache = folder.cache(warnings: warnings)
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        let next = folder.cache()
        let found = try await next.entry(for: dataKey("a"))
        // Otherwise the use would be written later, into a directory that is made again if the test has removed it.
        try await next.flush()
        return found?.data == content(1)
    }

    @Test func filesOfOtherProgramsAreNotTouched() async throws {
        let folder = try Folder()
        try Data("mine".utf8).write(to: folder.url.appending(path: "notes.txt"))
        let warnings = Warnings()
        #expect(try await cacheWorks(in: folder, warnings: warnings))
        #expect(try Data(contentsOf: folder.url.appending(path: "notes.txt")) == Data("mine".utf8))
        #expect(warnings.kinds.isEmpty)
    }

    @Test func filesWithOtherNamesInTheFoldersAreNotTouched() async throws {
        let folder = try Folder()
        #expect(try await cacheWorks(in: folder))
        let digits = String(EntryName(dataKey("a")).fileName)
        let names = [
            "x", "café", "é\u{301}", ".hidden", "\n", "-", digits.uppercased(), digits + "0", String(digits.dropLast()),
            "g" + digits.dropFirst(), digits.replacing("0", with: "０"), digits + ".tmp", "tmp", ".tmp",
            String(repeating: "n", count: 255),
        ]
        let inFolder = folder.folder(of: dataKey("a"))
        for name in names where name != digits { try Data("mine".utf8).write(to: inFolder.appending(path: name)) }
        try Data("mine".utf8).write(to: folder.home.appending(path: "zz"))
        try Data("mine".utf8).write(to: folder.home.appending(path: "3F"))
        #expect(try await cacheWorks(in: folder))
        let cache = folder.cache()
        #expect(await cache.statistics.count == 1)
        #expect(await cache.items.count == 1)
        try await cache.removeAll()
        #expect(folder.names(in: inFolder) == names.filter { $0 != digits }.sorted())
        #expect(folder.names(in: folder.home).contains("zz") && folder.names(in: folder.home).contains("3F"))
    }

    @Test(.timeLimit(.minutes(1))) func aFolderWithManyOtherFilesIsCountedSoon() async throws {
        let folder = try Folder()
        #expect(try await cacheWorks(in: folder))
        let inFolder = folder.folder(of: dataKey("a")).path(percentEncoded: false)
        for i in 0..<20_000 {
            let file = unsafe open(inFolder + "/junk \(i)", O_WRONLY | O_CREAT, 0o600)
            _ = close(file)
        }
        #expect(await folder.cache().statistics.count == 1)
    }

    @Test func symbolicLinksInPlaceOfFilesAreNotFollowed() async throws {
        let outside = try Folder()
        let treasure = outside.url.appending(path: "treasure")
        let name = EntryName(dataKey("a"))
        let folderName = EntryName.folderName(name.folder)
        let places = ["images-v2", "images-v2/" + folderName, "images-v2/" + folderName + "/" + name.fileName]
        for (place, destination) in places.flatMap({ [($0, treasure), ($0, outside.url), ($0, URL(filePath: "/nowhere"))] }) {
            try Data("gold".utf8).write(to: treasure)
            let folder = try Folder()
            #expect(try await cacheWorks(in: folder))
            let link = folder.url.appending(path: place)
            try FileManager.default.removeItem(at: link)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: destination)
            let warnings = Warnings()
            let cache = folder.cache(warnings: warnings)
            #expect(try await cache.entry(for: dataKey("a")) == nil)
            try await cache.updateEntry(entry(2), for: dataKey("a"))
            try await cache.flush()
            try await cache.store(entry(1), for: dataKey("a"))
            try await cache.flush()
            // A link in the place of a folder or an entry is replaced. In the place of the whole directory it turns the
            // cache off.
            let isOff = place == "images-v2"
            #expect(try await (cache.entry(for: dataKey("a"))?.data == content(1)) == !isOff, "\(place)")
            #expect(warnings.kinds == (isOff ? [.unavailable] : []), "\(place)")
            try? await cache.removeAll()
            #expect(try Data(contentsOf: treasure) == Data("gold".utf8), "\(place)")
            #expect(outside.names(in: outside.url) == ["treasure"], "\(place)")
        }
    }

    /// What the link leads to is a valid entry.
    @Test func entriesBehindLinksAreNotServed() async throws {
        for isFolder in [true, false] {
            let (folder, outside) = (try Folder(), try Folder())
            #expect(try await cacheWorks(in: folder))
            let place = isFolder ? folder.folder(of: dataKey("a")) : folder.file(of: dataKey("a"))
            let moved = outside.url.appending(path: "moved")
            try FileManager.default.moveItem(at: place, to: moved)
            try FileManager.default.createSymbolicLink(at: place, withDestinationURL: moved)
            let cache = folder.cache()
            #expect(try await cache.entry(for: dataKey("a")) == nil)
            #expect(await cache.statistics.count == 0)
            try await cache.removeAll()
            let left = isFolder ? moved.appending(path: EntryName(dataKey("a")).fileName) : moved
            #expect(FileManager.default.fileExists(atPath: left.path(percentEncoded: false)))
        }
    }

    /// No read waits for the other end of a pipe, and what is no file is no entry.
    @Test(.timeLimit(.minutes(1)), arguments: ["pipe", "socket", "directory", "full directory"])
    func whatIsNoFileInPlaceOfAnEntryIsAMiss(kind: String) async throws {
        let folder = try Folder()
        #expect(try await cacheWorks(in: folder))
        let file = folder.file(of: dataKey("a"))
        let path = file.path(percentEncoded: false)
        try FileManager.default.removeItem(at: file)
        switch kind {
        case "pipe": #expect(unsafe mkfifo(path, 0o600) == 0)
        case "socket": #expect(unsafe mknod(path, S_IFSOCK | 0o600, 0) == 0)
        case "directory": try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        default:
            try FileManager.default.createDirectory(at: file.appending(path: "x"), withIntermediateDirectories: true)
        }
        let warnings = Warnings()
        let cache = folder.cache(warnings: warnings)
        #expect(await cache.statistics.count == 0)
        for key in [dataKey("a"), dataKey("a")] { #expect(try await cache.entry(for: key) == nil) }
        _ = await cache.items
        _ = try await cache.verify()
        try await cache.updateEntry(entry(1), for: dataKey("a"))
        try? await cache.flush()
        let isStored = kind != "full directory"
        #expect(try await (folder.cache().entry(for: dataKey("a"))?.data == content(1)) == isStored)
        #expect(warnings.kinds == (isStored ? [] : [.writeFailed]), "\(warnings.messages)")
        try await cache.store(entry(2), for: dataKey("b"))
        try await cache.flush()
        #expect(try await folder.cache().entry(for: dataKey("b"))?.data == content(2))
    }

    @Test(arguments: ["file", "pipe"]) func whatIsNoDirectoryInPlaceOfAFolderIsReplaced(kind: String) async throws {
        let folder = try Folder()
        #expect(try await cacheWorks(in: folder))
        let place = folder.folder(of: dataKey("a"))
        try FileManager.default.removeItem(at: place)
        let path = String(place.path(percentEncoded: false).dropLast())
        if kind == "file" { try Data([1]).write(to: URL(filePath: path)) } else { #expect(unsafe mkfifo(path, 0o600) == 0) }
        let cache = folder.cache()
        #expect(try await cache.entry(for: dataKey("a")) == nil)
        try await cache.flush()
        #expect(try await cacheWorks(in: folder))
    }

    @Test func aFileInPlaceOfTheDirectoryTurnsTheCacheOff() async throws {
        let folder = try Folder()
        try Data("mine".utf8).write(to: URL(filePath: folder.path + "images-v2"))
        let warnings = Warnings()
        let cache = folder.cache(warnings: warnings)
        try await cache.store(entry(1), for: dataKey("a"))
        #expect(try await cache.entry(for: dataKey("a")) == nil)
        #expect(warnings.kinds == [.unavailable])
        #expect(try Data(contentsOf: URL(filePath: folder.path + "images-v2")) == Data("mine".utf8))
    }

    /// GAPS N9: a part of the path is a file, so that the directory cannot be made.
    @Test(arguments: ["file", "file/below", "file/far/below"]) func aFileOnTheWayIsReportedWithTheTrueError(path: String)
        async throws
    {
        let folder = try Folder()
        try Data("mine".utf8).write(to: URL(filePath: folder.path + "file"))
        let warnings = Warnings()
        let cache = DiskCache(.init(directory: URL(filePath: folder.path + path), onWarning: { warnings.add($0) }))
        for i in 0..<3 {
            try await cache.store(entry(1), for: dataKey(i))
            try await cache.flush()
            #expect(try await cache.entry(for: dataKey(i)) == nil)
        }
        #expect(warnings.kinds == [.unavailable])
        #expect(warnings.messages.first?.contains(SystemError.text(ENOTDIR)) == true, "\(warnings.messages)")
        #expect(try Data(contentsOf: URL(filePath: folder.path + "file")) == Data("mine".utf8))
    }

    /// Writes bytes as the file of an entry, with a valid checksum of the header, and a hole up to `size` bytes.
    private func forge(
        _ key: DataKey, in folder: Folder, size: Int64? = nil, _ change: (inout [UInt8]) -> Void
    ) throws {
        let head = try #require(ResponseHeaderCoding.encode(entry(1).head))
        var bytes = EntryFile(name: EntryName(key), head: head, body: content(1)).prefix(head: head, storedAt: 5) + content(1)
        change(&bytes)
        let checksum = unsafe bytes.withUnsafeBytes { unsafe Checksum.of(UnsafeRawBufferPointer(rebasing: $0[..<60])) }
        for i in 0..<4 { bytes[60 + i] = UInt8(truncatingIfNeeded: checksum >> UInt64(8 * i)) }
        let file = folder.file(of: key)
        try FileManager.default.createDirectory(at: folder.folder(of: key), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        if let size { #expect(unsafe truncate(file.path(percentEncoded: false), off_t(size)) == 0) }
    }

    private func set(_ value: some FixedWidthInteger, at offset: Int, in bytes: inout [UInt8]) {
        var encoded: [UInt8] = []
        encoded.append(littleEndian: value)
        bytes.replaceSubrange(offset..<offset + encoded.count, with: encoded)
    }

    @Test func aForgedEntryThatIsValidIsServed() async throws {
        let folder = try Folder()
        try forge(dataKey("a"), in: folder) { _ in }
        #expect(try await folder.cache().entry(for: dataKey("a"))?.data == content(1))
    }

    @Test(
        arguments: [0, 1, 999, 1_001, 1 << 31, 1 << 32, 1 << 40, 1 << 62, 1 << 63, .max, .max - 63, .max - 127] as [UInt64],
        [nil, 0, 64, 1_320, 1 << 33, 1 << 40] as [Int64?])
    func aForgedLengthIsAMissAndAllocatesNothing(length: UInt64, size: Int64?) async throws {
        let folder = try Folder()
        let cache = folder.cache()
        // The count would also remove a file that is too large.
        _ = await cache.statistics
        try forge(dataKey("a"), in: folder, size: size) { set(length, at: 40, in: &$0) }
        #expect(try await cache.entry(for: dataKey("a")) == nil)
        try await cache.flush()
        #expect(folder.files.isEmpty)
        #expect(await cache.statistics.evictions.damaged == 1)
    }

    @Test(arguments: [0, 1, 23, 24, 63, 65, 127, 1 << 20, 1 << 21, 1 << 31, .max, .max - 31] as [UInt32])
    func aForgedSizeOfSlotsIsAMiss(size: UInt32) async throws {
        let folder = try Folder()
        let cache = folder.cache()
        try forge(dataKey("a"), in: folder) { set(size, at: 56, in: &$0) }
        #expect(try await cache.entry(for: dataKey("a")) == nil)
        // The file has the length that the header claims.
        try forge(dataKey("b"), in: folder, size: 64 + 2 * Int64(size) + 1_000) { set(size, at: 56, in: &$0) }
        #expect(try await cache.entry(for: dataKey("b")) == nil)
    }

    @Test(arguments: [41, 1_000, 1 << 16, 1 << 31, .max, .max - 23] as [UInt32])
    func aForgedLengthOfTheHeadIsAMiss(length: UInt32) async throws {
        let folder = try Folder()
        let cache = folder.cache()
        for offset in [76, 204] {
            try forge(dataKey(offset), in: folder) { set(length, at: offset, in: &$0) }
            let isRead = try await cache.entry(for: dataKey(offset)) != nil
            #expect(isRead == (offset == 204), "the unused slot does not count")
        }
    }

    @Test func anEntryWithTheLargestNumberOfASlotIsUpdatedAsAWhole() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        let file = folder.file(of: dataKey("a"))
        var bytes = Array(try Data(contentsOf: file))
        set(UInt32.max, at: 72, in: &bytes)
        let length = 24 + Int(bytes[76])
        let seed = unsafe content(1).withUnsafeBytes { unsafe Checksum.of($0) }
        let sum = unsafe bytes[72..<64 + length].withUnsafeBytes { unsafe Checksum.of($0, seed: seed) }
        set(sum, at: 64, in: &bytes)
        try Data(bytes).write(to: file)
        #expect(try await cache.entry(for: dataKey("a"))?.storedAt == 1_000)
        for storedAt in [7.0, 8.0] {
            try await cache.updateEntry(DataEntry(data: content(1), storedAt: storedAt), for: dataKey("a"))
            try await cache.flush()
            #expect(try await folder.cache().entry(for: dataKey("a"))?.storedAt == storedAt)
        }
    }

    /// Sums of forged sizes must not overflow, and a file that is larger than any entry goes first.
    @Test func filesWithHugeHolesAreRemovedWithoutEvictingOthers() async throws {
        let folder = try Folder()
        let first = folder.cache()
        try await first.store(entry(1), for: dataKey("a"))
        // Ends its count, which would remove some of the files.
        try await first.flush()
        for i in 0..<40 {
            try forge(dataKey("hole \(i)"), in: folder, size: (Int64(1) << 43) - Int64(i)) { _ in }
            folder.setTimes(of: folder.file(of: dataKey("hole \(i)")), used: 1_700_000_000, written: 1_700_000_000)
        }
        let cache = folder.cache()
        let statistics = await cache.statistics
        #expect((statistics.count, statistics.evictions.overLimit) == (1, 40))
        #expect(try await cache.entry(for: dataKey("a"))?.data == content(1))
        // No limit at all.
        for i in 0..<40 { try forge(dataKey("hole \(i)"), in: folder, size: Int64(1) << 43) { _ in } }
        let unlimited = folder.cache(.init(maximumBytes: .max))
        #expect(await unlimited.statistics.count == 41)
        #expect(await unlimited.statistics.byteCount > 1 << 43)
    }

    @Test(.enabled(if: geteuid() == 0, "Giving files to another user needs permission."))
    func filesOfAnotherUserInTheFoldersAreNotServed() async throws {
        let folder = try Folder()
        #expect(try await cacheWorks(in: folder))
        #expect(unsafe chown(folder.file(of: dataKey("a")).path(percentEncoded: false), 65_534, 65_534) == 0)
        let cache = folder.cache()
        #expect(try await cache.entry(for: dataKey("a")) == nil)
        // Otherwise the removal could come later and, since the clock of the tests stands still, hit the new file.
        try await cache.flush()
        #expect(try await cacheWorks(in: folder))
    }

    @Test func aFolderThatOtherUsersCanWriteToIsNotWritten() async throws {
        let folder = try Folder()
        #expect(try await cacheWorks(in: folder))
        #expect(unsafe chmod(folder.folder(of: dataKey("a")).path(percentEncoded: false), 0o777) == 0)
        let warnings = Warnings()
        let cache = folder.cache(warnings: warnings)
        try await cache.store(entry(2), for: dataKey("a"))
        try? await cache.flush()
        #expect(warnings.kinds == [.writeFailed])
    }

    /// Whether a cache in the directory stores nothing, changes nothing and warns once.
    private func isRejected(_ directory: URL) async throws -> Bool {
        let warnings = Warnings()
        let cache = DiskCache(.init(directory: directory, onWarning: { warnings.add($0) }))
        for _ in 0..<2 { try await cache.store(entry(1), for: dataKey("a")) }
        try? await cache.flush()
        let found = try await cache.entry(for: dataKey("a"))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false))
        return found == nil && warnings.kinds == [.unavailable] && !names.contains { $0.hasPrefix("images-v") }
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
        #expect(unsafe chmod(folder.home.path(percentEncoded: false), 0o777) == 0)
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
}
