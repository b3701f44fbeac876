internal import HTTPTypes
internal import ImageCaching
internal import ImageCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The disk cache beside a plain file for each entry, and beside the system's own calls, in the same directory and run.
struct DiskCacheBench {
    let effort: BenchmarkEffort
    private let clock = ContinuousClock()

    func rows() async throws -> [BenchmarkRow] {
        try await rows(count: effort.scaled(10_000), size: 20_000, name: "20 kB")
            + rows(count: effort.scaled(500), size: 2_000_000, name: "2 MB")
    }

    private func rows(count: Int, size: Int, name: String) async throws -> [BenchmarkRow] {
        let bench = DiskRun(count: count, size: size)
        var times: [DiskRun.Times] = []
        // All kinds in turn, so that a slow moment hits them alike; the first round warms up.
        for round in 0...(effort == .smoke ? 1 : 5) {
            let time = try await bench.run()
            if round > 0 { times.append(time) }
        }
        func median(_ part: (DiskRun.Times) -> Double) -> Double { times.map(part).sorted()[times.count / 2] }
        func row(_ what: String, _ own: Double, _ peer: String, _ value: Double, _ reach: Double) -> BenchmarkRow {
            BenchmarkRow(
                suite: "cache", name: "disk \(what), \(name)", median: own, unit: "µs",
                peer: BenchmarkRow.Peer(name: peer, value: value, ranHere: true, reach: reach))
        }
        let (write, read) = (median(\.write), median(\.read))
        return [
            row("write", write, "raw open, write, close", median(\.rawWrite), 1.2),
            row("write", write, "plain files", median(\.plainWrite), 1),
            row("write and flush", median(\.durableWrite), "raw, synced each", median(\.rawDurableWrite), 1),
            row("read", read, "raw open, read, close", median(\.rawRead), 1.6),
            row("read", read, "plain files", median(\.plainRead), 1),
            row("miss", median(\.miss), "a microsecond", 1, 1),
        ]
    }
}

/// One round of all kinds.
private struct DiskRun {
    /// Microseconds per entry.
    struct Times {
        var write = 0.0
        var durableWrite = 0.0
        var read = 0.0
        var miss = 0.0
        var rawWrite = 0.0
        var rawDurableWrite = 0.0
        var rawRead = 0.0
        var plainWrite = 0.0
        var plainRead = 0.0
    }

    let count: Int
    let size: Int
    private let clock = ContinuousClock()
    private let body: Data

    init(count: Int, size: Int) {
        (self.count, self.size) = (count, size)
        var random = SeededGenerator(seed: 1)
        body = Data(
            (0..<size / 8).flatMap { _ in
                let word = random.next()
                return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            })
    }

    func run() async throws -> Times {
        var times = Times()
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "calotype-bench-\(UInt64.random(in: .min ... .max))", directoryHint: .isDirectory)
        let path = folder.path(percentEncoded: false)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await measureCache(in: folder, &times)
        let names = (0..<count).map { path + "/raw-\($0)" }
        times.rawWrite = try perEntry { for name in names { try rawWrite(to: name, isSynced: false) } }
        times.rawRead = try perEntry { for name in names { try rawRead(name) } }
        for name in names { _ = unsafe unlink(name) }
        let some = names.prefix(max(1, count / 20))
        times.rawDurableWrite = try perEntry(some.count) { for name in some { try rawWrite(to: name, isSynced: true) } }
        for name in some { _ = unsafe unlink(name) }
        let files = (0..<count).map { folder.appending(path: "plain-\($0)") }
        times.plainWrite = try perEntry { for file in files { try body.write(to: file) } }
        times.plainRead = try perEntry { for file in files { check(try Data(contentsOf: file).count) } }
        return times
    }

    private func measureCache(in folder: URL, _ times: inout Times) async throws {
        let limits = DiskCache.Limits(bytes: 4 * count * size)
        let keys = (0..<count).map { DataKey(resource: ResourceKey("https://example.org/\($0).jpg")) }
        let missing = (0..<10_000).map { DataKey(resource: ResourceKey("https://example.org/missing/\($0).jpg")) }
        let fields: HTTPFields = [.contentType: "image/jpeg", .cacheControl: "max-age=3600", .eTag: "\"0123456789\""]
        let entry = DataEntry(data: body, head: HTTPResponse(status: .ok, headerFields: fields), storedAt: 1)
        let cache = DiskCache(.init(directory: folder.appending(path: "cache"), limits: limits))
        _ = await cache.statistics
        let start = clock.now
        for key in keys { try await cache.store(entry, for: key) }
        // Trimming to a bound that holds already waits until all is written, and does nothing more.
        try await cache.trim(toBytes: limits.bytes)
        times.write = Units.milliseconds(start.duration(to: clock.now)) * 1000 / Double(count)
        try await cache.flush()
        times.durableWrite = Units.milliseconds(start.duration(to: clock.now)) * 1000 / Double(count)
        times.read = try await perEntry { for key in keys { check(try await cache.entry(for: key)?.data.count ?? 0) } }
        times.miss = try await perEntry(missing.count) { for key in missing { _ = try await cache.entry(for: key) } }
    }

    private func perEntry(_ entries: Int? = nil, _ body: () async throws -> Void) async rethrows -> Double {
        Units.milliseconds(try await clock.measure { try await body() }) * 1000 / Double(entries ?? count)
    }

    private func perEntry(_ entries: Int? = nil, _ body: () throws -> Void) rethrows -> Double {
        Units.milliseconds(try clock.measure { try body() }) * 1000 / Double(entries ?? count)
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
