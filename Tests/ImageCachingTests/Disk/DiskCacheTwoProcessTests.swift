import ImageCore
import Testing

@testable import ImageCaching

import CalotypeSystem

private let sharingSeconds = unsafe getenv("CALOTYPE_SHARING_SECONDS").flatMap { unsafe Double(String(cString: $0)) } ?? 2

/// Two processes read, write, remove and trim one directory at once, for `CALOTYPE_SHARING_SECONDS`; two seconds by
/// default.
@Suite(.timeLimit(.minutes(1 + Int(sharingSeconds) / 30))) struct DiskCacheTwoProcessTests {
    @Test func twoProcessesTearNoEntryAndKeepTheLimit() async throws {
        let folder = try Folder()
        let (path, seconds) = (folder.path, sharingSeconds)
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
        #expect(folder.fileBytes <= sharedLimit)
    }
}

/// A directory that disappears at any moment.
@Suite(.timeLimit(.minutes(1))) struct DiskCacheLostDirectoryTests {
    @Test(arguments: ["", "images-v2", "images-v2/ab"])
    func aDirectoryThatIsRemovedAtAnyMomentIsMadeAgain(name: String) async throws {
        let folder = try Folder()
        let isOver = Lock(false)
        async let removing: Void = {
            while !isOver.withLock(\.self) {
                try? FileManager.default.removeItem(at: folder.url.appending(path: name))
                await Task.yield()
            }
        }()
        for round in 0..<20 {
            let cache = folder.cache()
            for i in 0..<50 {
                try await cache.store(entry(i), for: dataKey(i))
                if let found = try await cache.entry(for: dataKey((i * 7) % 50)) { #expect(found.data == content((i * 7) % 50)) }
            }
            if round % 2 == 0 { try? await cache.flush() } else { _ = await cache.statistics }
        }
        isOver.withLock { $0 = true }
        await removing
        let warnings = Warnings()
        let cache = folder.cache(warnings: warnings)
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        #expect(try await folder.cache().entry(for: dataKey("a"))?.data == content(1))
        #expect(warnings.kinds.isEmpty)
    }

    @Test(arguments: [HeldFiles.Call.create, .rename], ["", "images-v2"])
    func anEntryIsStoredAlsoIfTheDirectoryIsRemovedWhileItIsWritten(call: HeldFiles.Call, name: String) async throws {
        let folder = try Folder()
        let warnings = Warnings()
        let files = HeldFiles(call)
        let cache = folder.cache(warnings: warnings, files: files)
        try await cache.store(entry(1), for: dataKey("a"))
        await files.waitForCall()
        try FileManager.default.removeItem(at: folder.url.appending(path: name))
        files.release()
        try await cache.flush()
        #expect(try await folder.cache().entry(for: dataKey("a"))?.data == content(1))
        #expect(warnings.kinds.isEmpty, "\(warnings.messages)")
    }

    /// FEATURES 7.8.
    @Test(arguments: ["", "images-v2"])
    func aDirectoryThatIsRemovedIsUsedAgainWithoutAWarning(name: String) async throws {
        let folder = try Folder()
        let warnings = Warnings()
        let cache = folder.cache(warnings: warnings)
        for i in 0..<3 {
            try await cache.store(entry(i), for: dataKey(i))
            try await cache.flush()
            #expect(try await cache.entry(for: dataKey(i))?.data == content(i))
            try FileManager.default.removeItem(at: folder.url.appending(path: name))
            #expect(try await cache.entry(for: dataKey(i)) == nil)
            #expect(await cache.statistics.count == 0)
        }
        #expect(warnings.kinds.isEmpty, "\(warnings.messages)")
        try await cache.removeAll()
        try await cache.trim(toBytes: 0)
    }

    @Test func nothingIsOpenBetweenCalls() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        for i in 0..<20 { try await cache.store(entry(i), for: dataKey(i)) }
        try await cache.flush()
        for i in 0..<20 { #expect(try await cache.entry(for: dataKey(i)) != nil) }
        _ = await cache.items
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        let paths = open.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0) }
        #expect(!paths.contains { $0.hasPrefix(folder.path) })
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
        case 0..<13: try await cache.store(stored, for: dataKey(name))
        case 14: try await cache.removeEntry(for: dataKey(name))
        case 13:
            if let found = try await cache.entry(for: dataKey(name)) { try await cache.updateEntry(found, for: dataKey(name)) }
        case 15: try await cache.trim(toBytes: 700_000)
        case 16:
            try await cache.flush()
            let bytes = await cache.statistics.fileByteCount
            // The other process may have written after this one enforced the limit, and enforces it with its next
            // write.
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
