import ImageCore
import Testing

@testable import ImageCaching

import CalotypeSystem

/// Two processes read, write, remove and trim one directory at once, for `CALOTYPE_SHARING_SECONDS`; two seconds by default.
@Suite struct DiskCacheTwoProcessTests {
    private static var seconds: Double {
        guard let text = unsafe getenv("CALOTYPE_SHARING_SECONDS") else { return 2 }
        return unsafe Double(String(cString: text)) ?? 2
    }

    @Test func twoProcessesTearNoEntryAndKeepTheLimit() async throws {
        let folder = try Folder()
        let (path, seconds) = (folder.path, Self.seconds)
        async let other = #expect(processExitsWith: .success) { [path = path as String, seconds = seconds as Double] in
            let trouble = try await work(in: path, seconds: seconds, seed: 1)
            precondition(trouble.isEmpty, "\(trouble)")
        }
        let trouble = try await work(in: path, seconds: seconds, seed: 2)
        #expect(trouble.isEmpty)
        _ = await other
        let warnings = Warnings()
        let cache = folder.cache(.init(maximumBytes: sharedLimit, minimumBytes: 0), warnings: warnings)
        #expect(try await cache.verify().damagedCount == 0)
        #expect(await cache.statistics.count > 0)
        #expect(warnings.kinds.isEmpty, "\(warnings.messages)")
        try await cache.trim(toBytes: sharedLimit)
        #expect(folder.packBytes <= sharedLimit)
    }
}

/// Another process holds the directory's lock forever. Another opening of the file stands for it, since `flock` treats both alike.
@Suite(.timeLimit(.minutes(1))) struct DiskCacheHeldLockTests {
    private let files = POSIXFiles()

    private func lockFile(in folder: Folder) throws -> OpenFile {
        let file = try files.openFile("images-v1.lock", in: files.openDirectory(path: folder.path), .existingOrNew)
        #expect(try files.tryLock(file))
        return file
    }

    @Test func readsAreMissesAndDoNotWaitUntilTheLockIsReleased() async throws {
        let folder = try Folder()
        let (pauses, warnings) = (Pauses(limit: 0.2), Warnings())
        let cache = folder.cache(warnings: warnings, files: FaultyFiles(.always(code: 5), at: .max, pauses: pauses))
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        let other = folder.cache()
        try await other.store(entry(2), for: dataKey("b"))
        try await other.flush()
        let held = try lockFile(in: folder)
        // The writer waits for the lock in the meantime.
        for _ in 0..<10 { #expect(try await cache.entry(for: dataKey("a")) == nil) }
        #expect(await cache.statistics.misses == 10)
        files.unlock(held)
        pauses.release()
        await cache.writer.drain()
        #expect(try await cache.entry(for: dataKey("a"))?.data == content(1))
        #expect(try await cache.entry(for: dataKey("b"))?.data == content(2))
        #expect(await cache.statistics.evictions.damaged == 0)
        #expect(warnings.kinds.isEmpty)
    }

    @Test func anEntryInAnUnchangedJournalIsStillAHit() async throws {
        let folder = try Folder()
        let cache = folder.cache(files: FaultyFiles(.always(code: 5), at: .max, pauses: Pauses()))
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        let held = try lockFile(in: folder)
        #expect(try await cache.entry(for: dataKey("a"))?.data == content(1))
        files.unlock(held)
    }

    @Test func storesDoNotWaitAndDoNotFillTheMemory() async throws {
        let folder = try Folder()
        let pauses = Pauses(limit: 0.2)
        let cache = folder.cache(files: FaultyFiles(.always(code: 5), at: .max, pauses: pauses))
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        let held = try lockFile(in: folder)
        let large = entry(2, count: 1 << 20)
        for i in 0..<40 { try await cache.store(large, for: dataKey(i)) }
        #expect(cache.writer.state.withLock { $0.pendingBytes } <= 18 << 20)
        #expect(cache.cacheStatistics[0].refusals >= 20)
        #expect(try await cache.entry(for: dataKey(0))?.data == large.data)
        #expect(try await cache.entry(for: dataKey(39)) == nil)
        files.unlock(held)
        pauses.release()
        try await cache.flush()
        #expect(try await folder.cache().entry(for: dataKey(0))?.data == large.data)
    }

    @Test func openingTimesOutSoonAndIsRetriedAtTheNextUse() async throws {
        let folder = try Folder()
        let (pauses, warnings) = (Pauses(), Warnings())
        let cache = folder.cache(warnings: warnings, files: FaultyFiles(.always(code: 5), at: .max, pauses: pauses))
        let held = try lockFile(in: folder)
        for _ in 0..<3 {
            let error = await #expect(throws: ImageError.self) { try await cache.removeAll() }
            #expect(error?.code == .cacheFailed && error?.message.hasPrefix("Another process") == true)
        }
        #expect(warnings.kinds == [.locked])
        // The first wait is a full one, the second a short one.
        #expect(pauses.seconds < 2.5)
        try await cache.store(entry(1), for: dataKey("a"))
        #expect(try await cache.entry(for: dataKey("a")) == nil)
        files.unlock(held)
        try await cache.requireOpen()
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        #expect(try await folder.cache().entry(for: dataKey("a"))?.data == content(1))
    }

    @Test func loadsDoNotWaitForTheOpening() async throws {
        let folder = try Folder()
        let pauses = Pauses(limit: 0.2)
        let cache = folder.cache(files: FaultyFiles(.always(code: 5), at: .max, pauses: pauses))
        let held = try lockFile(in: folder)
        try await cache.store(entry(1), for: dataKey("a"))
        for _ in 0..<10 { #expect(try await cache.entry(for: dataKey("a")) == nil) }
        files.unlock(held)
        pauses.release()
        try await cache.requireOpen()
        try await cache.store(entry(1), for: dataKey("a"))
        #expect(try await cache.entry(for: dataKey("a"))?.data == content(1))
    }
}

private let sharedLimit = 1_500_000

/// Returns the failures.
private func work(in path: String, seconds: Double, seed: UInt64) async throws -> [String] {
    let warnings = Warnings()
    let cache = DiskCache(
        .init(
            directory: URL(filePath: path), limits: .init(maximumBytes: sharedLimit, minimumBytes: 0),
            onWarning: { warnings.add($0) }))
    var trouble: [String] = []
    var random = SystemRandomNumberGenerator()
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end, trouble.isEmpty {
        let name = Int.random(in: 0..<80, using: &random)
        let tag = Int.random(in: 0..<1_000_000, using: &random)
        let stored = DataEntry(data: content(tag, count: 500 + tag % 40_000), storedAt: Double(tag))
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<14: try await cache.store(stored, for: dataKey(name))
        case 14: try await cache.removeEntry(for: dataKey(name))
        case 15: try await cache.trim(toBytes: 700_000)
        case 16:
            try await cache.flush()
            let bytes = await cache.statistics.fileByteCount
            // The other process may have written after this one enforced the limit, and enforces it with its next write.
            if bytes > 2 * sharedLimit { trouble.append("\(bytes) bytes of files") }
        default:
            guard let found = try await cache.entry(for: dataKey(name)) else { continue }
            if found.data != content(Int(found.storedAt), count: 500 + Int(found.storedAt) % 40_000) {
                trouble.append("the entry \(name) is torn")
            }
        }
    }
    try await cache.flush()
    let damages = await cache.statistics.evictions.damaged
    if damages > 0 { trouble.append("\(damages) damaged entries") }
    return trouble + warnings.messages
}
