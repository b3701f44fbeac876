import Dispatch
import Foundation
import ImageCaching
import ImageCore

/// Fuzzes the disk cache with the input as the files of its entries. The cache must work, or report a warning, within a
/// second of processor time. An option of libFuzzer limits allocations.
///
/// ```
/// 0  u8  the parts that the target makes valid, so that mutations pass the checks of the cache: 1 the magic, the digest and the
///        checksum of the header, 2 the checksums of the slots, 4 the checksum of the body, 8 the length of the body
/// 1  u8  bits 0-1 number of files that are there at first, 2-3 limit, 4-5 size of the hole at the end of files, 6-7 number of files
///        that another process writes later
/// 2      the files, which all get the same share of the bytes
/// ```
struct DiskCacheFuzzing {
    private let input: [UInt8]
    private let folder: URL
    private let warnings = Warnings()

    private static let keys = (0..<4).map { DataKey(resource: ResourceKey("https://example.org/\($0)")) }
    private static let root = FileManager.default.temporaryDirectory.appending(
        path: "calotype-fuzz-\(ProcessInfo.processInfo.processIdentifier)", directoryHint: .isDirectory)

    static func run(_ input: Data) {
        guard input.count >= 2 else { return }
        let start = clock()
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            try? FileManager.default.removeItem(at: root)
            do {
                try await DiskCacheFuzzing(input: Array(input), folder: root).run()
            } catch {
                fatalError("the cache throws: \(error)")
            }
            try? FileManager.default.removeItem(at: root)
            isDone.signal()
        }
        isDone.wait()
        let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        check(seconds < 1, "it took \(seconds) s")
    }

    private func run() async throws {
        let (first, later) = (Int(input[1] & 3), Int(input[1] >> 6))
        try writeFiles(0..<first, of: first + later)
        let cache = makeCache()
        try await read(from: cache)
        try await store(in: cache)
        try writeFiles(first..<first + later, of: first + later)
        try await read(from: cache)
        try await store(in: cache)
        try await allowImageErrors { try await cache.trim(toBytes: 2_000) }
        let size = await cache.statistics.fileByteCount
        check(size <= 2_000 || !warnings.isEmpty, "\(size) bytes are left after a trim")
        try await read(from: makeCache())
        try await allowImageErrors { try await cache.removeAll() }
        let items = await cache.items
        check(items.isEmpty || !warnings.isEmpty, "\(items.count) entries are left after all were removed")
        let last = makeCache()
        try await store(in: last)
        try await read(from: last)
    }

    private func read(from cache: DiskCache) async throws {
        for key in Self.keys {
            guard let found = try await cache.entry(for: key) else { continue }
            try await cache.updateEntry(DataEntry(data: found.data, storedAt: 2), for: key)
            let updated = try await cache.entry(for: key)
            check(updated == nil || updated?.data == found.data, "an update changed the body")
        }
        let found = try await cache.verify()
        check(found.damagedCount <= found.count, "more entries are damaged than there are")
        let statistics = await cache.statistics
        let counts = [statistics.count, statistics.byteCount, statistics.fileByteCount]
        check(counts.allSatisfy { $0 >= 0 }, "a count is negative: \(counts)")
    }

    private func store(in cache: DiskCache) async throws {
        for (i, key) in Self.keys.prefix(2).enumerated() {
            let data = Data(repeating: UInt8(i), count: 100 + 900 * i)
            try await cache.store(DataEntry(data: data, storedAt: 1), for: key)
            try await allowImageErrors { try await cache.flush() }
            let found = try await cache.entry(for: key)?.data
            check(found == data || !warnings.isEmpty, "a stored entry is missing without a warning")
        }
    }

    /// Runs `body`, which may throw an `ImageError` but no other error.
    private func allowImageErrors(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as ImageError {
            check(!error.message.isEmpty, "an error without a message")
        }
    }

    private func makeCache() -> DiskCache {
        let limit = [8_000, 64_000, 1_000_000, 20_000_000][Int(input[1] >> 2 & 3)]
        return DiskCache(
            .init(
                directory: folder, limits: .init(maximumBytes: limit, minimumBytes: 0, timeToLive: .seconds(1e12)),
                now: { 1_700_000_000 },
                onWarning: { [warnings] in warnings.add($0) }))
    }
}

// The files of the cache.
extension DiskCacheFuzzing {
    private func isFixed(_ bit: UInt8) -> Bool { input[0] & bit != 0 }

    /// Writes some of the files. They belong to the keys in turn.
    private func writeFiles(_ numbers: Range<Int>, of count: Int) throws {
        for number in numbers {
            let size = (input.count - 2) / count
            let digest = Self.keys[number % Self.keys.count].digest
            var bytes = Array(input.dropFirst(2 + number * size).prefix(size))
            fix(&bytes, digest)
            let home = folder.appending(path: "images-v2/\(digest.prefix(2))", directoryHint: .isDirectory)
            let file = home.appending(path: String(digest.dropFirst(2)))
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            try Data(bytes).write(to: file)
            // A hole uses no space on the disk.
            let hole = [0, 1 << 16, 1 << 24, 1 << 36][Int(input[1] >> 4 & 3)]
            if hole > 0 { check(truncate(file.path, off_t(bytes.count + hole)) == 0) }
        }
    }

    private func fix(_ bytes: inout [UInt8], _ digest: String) {
        guard bytes.count >= 64 else { return }
        let slotSize = Int(bytes.word(at: 56) & 0xffff_ffff)
        let bodyStart = 64 + 2 * slotSize
        if bodyStart <= bytes.count {
            if isFixed(8) { bytes.set(UInt64(bytes.count - bodyStart), at: 40) }
            if isFixed(4) { bytes.set(XXH64.of(bytes[bodyStart...]), at: 48) }
            for slot in [64, 64 + slotSize] where isFixed(2) && slotSize >= 24 {
                let end = slot + 24 + Int(bytes.word(at: slot + 8) >> 32)
                if end <= bytes.count { bytes.set(XXH64.of(bytes[slot + 8..<end], seed: bytes.word(at: 48)), at: slot) }
            }
        }
        guard isFixed(1) else { return }
        bytes.replaceSubrange(..<8, with: Array("CALOIMG2".utf8))
        for word in 0..<4 {
            bytes.set(UInt64(digest.dropFirst(16 * word).prefix(16), radix: 16) ?? 0, at: 8 + 8 * word)
        }
        let checksum = XXH64.of(bytes[..<60]) << 32 | bytes.word(at: 56) & 0xffff_ffff
        bytes.set(checksum, at: 56)
    }
}

/// The warnings of a run. @unchecked because the list is accessed only with the lock held.
private final class Warnings: @unchecked Sendable {
    private let lock = NSLock()
    private var list: [DiskCache.Warning] = []

    var isEmpty: Bool { lock.withLock { list.isEmpty } }

    func add(_ warning: DiskCache.Warning) {
        check(!warning.message.isEmpty, "a warning without a message")
        lock.withLock { list.append(warning) }
    }
}

extension [UInt8] {
    fileprivate init(word: UInt64) { self = (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }

    fileprivate func word(at offset: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(self[offset + $1]) << UInt64(8 * $1) }
    }

    fileprivate mutating func set(_ word: UInt64, at offset: Int) {
        replaceSubrange(offset..<offset + 8, with: [UInt8](word: word))
    }
}

/// XXH64 (Yann Collet, "xxHash fast digest algorithm", version 0.1.1), for inputs of a few kilobytes. The
/// implementation of the cache is not public.
enum XXH64 {
    private static let p1: UInt64 = 0x9e37_79b1_85eb_ca87
    private static let p2: UInt64 = 0xc2b2_ae3d_27d4_eb4f
    private static let p3: UInt64 = 0x1656_67b1_9e37_79f9
    private static let p4: UInt64 = 0x85eb_ca77_c2b2_ae63
    private static let p5: UInt64 = 0x27d4_eb2f_1656_67c5

    static func of(_ bytes: ArraySlice<UInt8>, seed: UInt64 = 0) -> UInt64 {
        var rest = bytes
        var hash = seed &+ p5
        if rest.count >= 32 {
            var lanes = [seed &+ p1 &+ p2, seed &+ p2, seed, seed &- p1]
            while rest.count >= 32 {
                for i in 0..<4 { lanes[i] = mix(lanes[i], number(&rest, 8)) }
            }
            hash = zip(lanes, [1, 7, 12, 18]).reduce(0) { $0 &+ rotate($1.0, $1.1) }
            for lane in lanes { hash = (hash ^ mix(0, lane)) &* p1 &+ p4 }
        }
        hash &+= UInt64(bytes.count)
        while rest.count >= 8 { hash = rotate(hash ^ mix(0, number(&rest, 8)), 27) &* p1 &+ p4 }
        if rest.count >= 4 { hash = rotate(hash ^ number(&rest, 4) &* p1, 23) &* p2 &+ p3 }
        while !rest.isEmpty { hash = rotate(hash ^ number(&rest, 1) &* p5, 11) &* p1 }
        hash = (hash ^ hash >> 33) &* p2
        hash = (hash ^ hash >> 29) &* p3
        return hash ^ hash >> 32
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>, _ count: Int) -> UInt64 {
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func mix(_ lane: UInt64, _ word: UInt64) -> UInt64 { rotate(lane &+ word &* p2, 31) &* p1 }
    private static func rotate(_ x: UInt64, _ n: UInt64) -> UInt64 { x << n | x >> (64 - n) }
}
