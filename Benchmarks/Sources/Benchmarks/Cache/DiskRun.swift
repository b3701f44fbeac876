internal import Calotype
internal import Foundation
internal import HTTPTypes
internal import CalotypeTesting

/// A round of reads and writes, by the cache and by its peers.
struct DiskRun {
    /// Microseconds per entry.
    struct Times {
        var write = 0.0
        var read = 0.0
        var miss = 0.0
        var rawWrite = 0.0
        var rawRead = 0.0
        var plainWrite = 0.0
        var plainRead = 0.0
    }

    /// The microseconds per entry that is durable, that is, survives a power failure.
    struct DurableTimes {
        var write = 0.0
        var rawWrite = 0.0
    }

    let count: Int
    let size: Int
    let parent: URL
    private let clock = ContinuousClock()
    private let body: Data

    init(count: Int, size: Int, parent: URL, seed: UInt64) {
        (self.count, self.size, self.parent) = (count, size, parent)
        var random = SeededGenerator(seed: seed)
        body = Data(
            (0..<size / 8).flatMap { _ in
                let word = random.next()
                return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            })
    }

    func run() async throws -> Times {
        var times = Times()
        try await inFolder { folder in
            let (cache, keys) = try await openCache(in: folder)
            times.write = try await perEntry { try await store(keys, in: cache) }
            times.read = try await perEntry { for key in keys { check(try await cache.entry(for: key)?.data.count ?? 0) } }
            let missing = (0..<10_000).map { Self.key("missing/\($0)") }
            times.miss = try await perEntry(missing.count) { for key in missing { _ = try await cache.entry(for: key) } }
        }
        try await inFolder { folder in
            let names = (0..<count).map { folder.path(percentEncoded: false) + "/raw-\($0)" }
            times.rawWrite = try perEntry { for name in names { try rawWrite(to: name, isSynced: false) } }
            times.rawRead = try perEntry { for name in names { try rawRead(name) } }
        }
        try await inFolder { folder in
            let files = (0..<count).map { folder.appending(path: "plain-\($0)") }
            times.plainWrite = try perEntry { for file in files { try body.write(to: file) } }
            times.plainRead = try perEntry { for file in files { check(try Data(contentsOf: file).count) } }
        }
        return times
    }

    func runDurably() async throws -> DurableTimes {
        var times = DurableTimes()
        try await inFolder { folder in
            let (cache, keys) = try await openCache(in: folder)
            times.write = try await perEntry {
                try await store(keys, in: cache)
                try await cache.flush()
            }
            let names = (0..<count).map { folder.path(percentEncoded: false) + "/raw-\($0)" }
            times.rawWrite = try perEntry { for name in names { try rawWrite(to: name, isSynced: true) } }
        }
        return times
    }

    /// Milliseconds until a new cache has counted all entries, and until another has returned one.
    func count(rounds: Int) async throws -> [(count: Double, firstHit: Double)] {
        var times: [(count: Double, firstHit: Double)] = []
        try await inFolder { folder in
            let (cache, keys) = try await openCache(in: folder)
            try await store(keys, in: cache)
            for _ in 0..<rounds {
                let reader = openedCache(in: folder)
                let firstHit = try await clock.measure { check(try await reader.entry(for: keys[0])?.data.count ?? 0) }
                try await reader.flush()
                let counter = openedCache(in: folder)
                // A flush with nothing to write waits until the entries are counted.
                let count = try await clock.measure { try await counter.flush() }
                precondition(counter.cacheStatistics[0].count == keys.count, "all entries are counted")
                times.append((count / .milliseconds(1), firstHit / .milliseconds(1)))
            }
        }
        return times
    }

    private func inFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = try ScratchFolder(in: parent)
        defer { folder.remove() }
        try await body(folder.url)
    }

    private func openedCache(in folder: URL) -> DiskCache {
        let limits = DiskCache.Limits(maximumBytes: max(4 * count * size, 1_000_000_000), minimumBytes: 0)
        return DiskCache(.init(directory: folder.appending(path: "cache"), limits: limits))
    }

    private func openCache(in folder: URL) async throws -> (DiskCache, [DataKey]) {
        let cache = openedCache(in: folder)
        _ = await cache.statistics
        return (cache, (0..<count).map { Self.key("\($0)") })
    }

    /// Stores the body under each key, and waits until all of it is written.
    private func store(_ keys: [DataKey], in cache: DiskCache) async throws {
        let fields: HTTPFields = [.contentType: "image/jpeg", .cacheControl: "max-age=3600", .eTag: "\"0123456789\""]
        let entry = DataEntry(data: body, head: HTTPResponse(status: .ok, headerFields: fields), storedAt: 1)
        for key in keys { try await cache.store(entry, for: key) }
        // Returns when all entries are written and counted.
        _ = await cache.statistics
    }

    private static func key(_ name: String) -> DataKey { DataKey(resource: ResourceKey("https://example.org/\(name).jpg")) }

    private func perEntry(_ entries: Int? = nil, _ body: () async throws -> Void) async rethrows -> Double {
        try await clock.measure { try await body() } / .microseconds(entries ?? count)
    }

    private func perEntry(_ entries: Int? = nil, _ body: () throws -> Void) rethrows -> Double {
        try clock.measure { try body() } / .microseconds(entries ?? count)
    }

    private func check(_ found: Int) { precondition(found == body.count, "the whole body was read") }

    private func rawWrite(to name: String, isSynced: Bool) throws {
        let file = unsafe open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { _ = close(file) }
        let written = unsafe body.withUnsafeBytes { unsafe systemWriteAll(file, $0) }
        guard written, !isSynced || fsync(file) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    private func rawRead(_ name: String) throws {
        let file = unsafe open(name, O_RDONLY | O_CLOEXEC)
        defer { _ = close(file) }
        var info = stat()
        guard unsafe fstat(file, &info) == 0 else { throw CocoaError(.fileReadUnknown) }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(info.st_size)) { buffer, done in
            done = max(0, unsafe read(file, buffer.baseAddress, buffer.count))
        }
        check(bytes.count)
    }
}

private func systemWriteAll(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    var done = 0
    while done < bytes.count {
        let count = unsafe write(file, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done)
        guard count > 0 else { return false }
        done += count
    }
    return true
}
