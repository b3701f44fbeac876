import Dispatch
import Foundation
import ImageCaching
import ImageCore

/// Fuzzes the disk cache with the input as its journal and packs. The cache must work, or report a warning, within a second of
/// processor time. An option of libFuzzer limits allocations.
///
/// ```
/// 0  u8  the parts that the target makes valid, so that mutations pass the checks of the cache: 1 the header of the journal,
///        2 the checksums of changes, 4 the headers of packs, 8 the records of changes, 16 the names of entries
/// 1  u8  bits 0-1 number of packs, 2-3 limit, 4-5 size of the hole at the end of packs, 6 whether to truncate the last change
/// 2  u8  number of changes in the journal
/// 3  u8  number of changes that another process appends later
/// 4      the header of the journal, its changes, and the later changes, 64 bytes each; then the packs
/// ```
struct DiskCacheFuzzing {
    private let input: [UInt8]
    private let folder: URL
    private let warnings = Warnings()

    private static let slot = 64
    private static let directory: [UInt8] = [1] + [UInt8](repeating: 0, count: 15)
    private static let keys = (0..<4).map { DataKey(resource: ResourceKey("https://example.org/\($0)")) }
    private static let root = FileManager.default.temporaryDirectory.appending(
        path: "calotype-fuzz-\(ProcessInfo.processInfo.processIdentifier)", directoryHint: .isDirectory)

    static func run(_ input: Data) {
        guard input.count >= 4 else { return }
        let start = clock()
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            try? FileManager.default.removeItem(at: root)
            do {
                let names = await names
                try await DiskCacheFuzzing(input: Array(input), folder: root).run(names)
            } catch {
                preconditionFailure("the cache throws: \(error)")
            }
            try? FileManager.default.removeItem(at: root)
            isDone.signal()
        }
        isDone.wait()
        let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        precondition(seconds < 1, "it took \(seconds) s")
    }

    private func run(_ names: [[UInt8]]) async throws {
        let later = try makeDirectory(names)
        let cache = makeCache()
        try await read(from: cache)
        try await store(in: cache)
        try appendAsAnotherProcess(later)
        try await read(from: cache)
        try await store(in: cache)
        try await allowImageErrors { try await cache.trim(toBytes: 2_000) }
        let size = await cache.statistics.fileByteCount
        precondition(size <= 2_000 || !warnings.isEmpty, "\(size) bytes are left after a trim")
        try await read(from: makeCache())
        try await allowImageErrors { try await cache.removeAll() }
        let items = await cache.items
        precondition(items.isEmpty || !warnings.isEmpty, "\(items.count) entries are left after all were removed")
        let last = makeCache()
        try await store(in: last)
        try await read(from: last)
    }

    private func read(from cache: DiskCache) async throws {
        for key in Self.keys {
            _ = try await cache.entry(for: key)
        }
        let found = try await cache.verify()
        precondition(found.damagedCount <= found.count, "more entries are damaged than there are")
        let statistics = await cache.statistics
        let counts = [statistics.count, statistics.byteCount, statistics.fileByteCount]
        precondition(counts.allSatisfy { $0 >= 0 }, "a count is negative: \(counts)")
    }

    private func store(in cache: DiskCache) async throws {
        for (i, key) in Self.keys.prefix(2).enumerated() {
            let data = Data(repeating: UInt8(i), count: 100 + 900 * i)
            try await cache.store(DataEntry(data: data, storedAt: 1), for: key)
            try await allowImageErrors { try await cache.flush() }
            let found = try await cache.entry(for: key)?.data
            precondition(found == data || !warnings.isEmpty, "a stored entry is missing without a warning")
        }
    }

    /// Runs `body`, which may throw an `ImageError` but no other error.
    private func allowImageErrors(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as ImageError {
            precondition(!error.message.isEmpty, "an error without a message")
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
    private var home: URL { folder.appending(path: "images-v1", directoryHint: .isDirectory) }
    private var journalFile: URL { home.appending(path: "journal") }
    private func isFixed(_ bit: UInt8) -> Bool { input[0] & bit != 0 }

    /// Writes the journal and the packs. Returns the changes that another process appends later.
    private func makeDirectory(_ names: [[UInt8]]) throws -> [UInt8] {
        var rest = input.dropFirst(4)
        var head = take(1, from: &rest)
        var changes = take(Int(input[2]), from: &rest)
        var later = take(Int(input[3]), from: &rest)
        if isFixed(1) { head = Self.journalHead }
        fixNames(&changes, names)
        fixNames(&later, names)
        if head.count == Self.slot { fixChecksums(&changes, at: head.count, epoch: head.word(at: 48)) }
        var journal = head + changes
        if input[1] & 64 != 0 { journal.removeLast(min(5, journal.count)) }

        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try Data(journal).write(to: journalFile)
        let count = Int(input[1] & 3)
        for number in 0..<count {
            var pack = Array(rest.prefix(rest.count / (count - number)))
            rest = rest.dropFirst(pack.count)
            fixPack(&pack, number: UInt64(number + 1), records: changes + later)
            let file = home.appending(path: "\(number + 1).pack")
            try Data(pack).write(to: file)
            // A hole uses no space on the disk, and entries of any size may refer to it.
            let hole = [0, 1 << 16, 1 << 24, 1 << 36][Int(input[1] >> 4 & 3)]
            if hole > 0 { precondition(truncate(file.path, off_t(pack.count + hole)) == 0) }
        }
        return later
    }

    private func take(_ count: Int, from bytes: inout ArraySlice<UInt8>) -> [UInt8] {
        defer { bytes = bytes.dropFirst(count * Self.slot) }
        return Array(bytes.prefix(count * Self.slot))
    }

    private func fixChecksums(_ changes: inout [UInt8], at offset: Int, epoch: UInt64) {
        guard isFixed(2) else { return }
        for at in starts(changes) {
            changes.set(XXH64.of(changes[at..<at + 56], seed: epoch &+ UInt64(offset + at)), at: at + 56)
        }
    }

    private func fixNames(_ changes: inout [UInt8], _ names: [[UInt8]]) {
        guard isFixed(16) else { return }
        for at in starts(changes) {
            changes.replaceSubrange(at + 8..<at + 24, with: names[Int(changes[at + 8]) % names.count])
        }
    }

    private func starts(_ changes: [UInt8]) -> StrideTo<Int> {
        stride(from: 0, to: changes.count - Self.slot + 1, by: Self.slot)
    }

    private func fixPack(_ pack: inout [UInt8], number: UInt64, records: [UInt8]) {
        if isFixed(4), pack.count >= 32 {
            pack.replaceSubrange(..<32, with: Array("CALOPAK1".utf8) + Self.directory + [UInt8](word: number))
        }
        guard isFixed(8) else { return }
        for at in starts(records) {
            let (kind, headLength) = (records.word(at: at) & 0xffff_ffff, Int(records.word(at: at) >> 32))
            let (start, bodyLength) = (records.word(at: at + 32), records.word(at: at + 40))
            guard kind == 1 || kind == 9, records.word(at: at + 24) == number, start < 1 << 20, bodyLength < 1 << 20,
                Int(start) + 48 + headLength + Int(bodyLength) <= pack.count
            else { continue }
            let first = Int(start)
            pack.replaceSubrange(first..<first + 4, with: Array("CLTB".utf8))
            pack.replaceSubrange(first + 4..<first + 8, with: records[at + 4..<at + 8])
            pack.replaceSubrange(first + 8..<first + 16, with: records[at + 40..<at + 48])
            pack.replaceSubrange(first + 16..<first + 32, with: records[at + 8..<at + 24])
            let body = first + 48 + headLength
            var sum = XXH64.of(pack[body..<body + Int(bodyLength)])
            sum = XXH64.of(pack[first..<first + 40], seed: sum)
            pack.set(XXH64.of(pack[first + 48..<body], seed: sum), at: first + 40)
        }
    }

    private func appendAsAnotherProcess(_ changes: [UInt8]) throws {
        guard !changes.isEmpty, let journal = try? Array(Data(contentsOf: journalFile)), journal.count >= Self.slot else {
            return
        }
        var changes = changes
        fixChecksums(&changes, at: journal.count, epoch: journal.word(at: 48))
        let file = try FileHandle(forWritingTo: journalFile)
        try file.seekToEnd()
        try file.write(contentsOf: changes)
        try file.close()
    }

    /// The header of a directory whose secret is zero.
    private static var journalHead: [UInt8] {
        var head = Array("CALOJRN1".utf8) + [1, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 16) + directory
        head += [UInt8](word: 2)
        return head + [UInt8](word: XXH64.of(head[...]))
    }

    /// The names of the keys in the journal of a directory with that header, which a real cache provides.
    private static let namesTask = Task<[[UInt8]], Never> {
        let folder = root.appending(path: "names", directoryHint: .isDirectory)
        let home = folder.appending(path: "images-v1", directoryHint: .isDirectory)
        try? FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try? Data(journalHead).write(to: home.appending(path: "journal"))
        let cache = DiskCache(.init(directory: folder))
        for key in keys { try? await cache.store(DataEntry(data: Data([1]), storedAt: 1), for: key) }
        try? await cache.flush()
        let names = await cache.items.map { item in
            Array(stride(from: 30, through: 0, by: -2).map { i in UInt8(item.name.dropFirst(i).prefix(2), radix: 16) ?? 0 })
        }
        precondition(names.count == keys.count, "the cache did not accept the directory of the target")
        return names.reversed()
    }

    private static var names: [[UInt8]] { get async { await namesTask.value } }
}

/// The warnings of a run. @unchecked because the list is accessed only with the lock held.
private final class Warnings: @unchecked Sendable {
    private let lock = NSLock()
    private var list: [DiskCache.Warning] = []

    var isEmpty: Bool { lock.withLock { list.isEmpty } }

    func add(_ warning: DiskCache.Warning) {
        precondition(!warning.message.isEmpty, "a warning without a message")
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

/// XXH64 (Yann Collet, "xxHash fast digest algorithm", version 0.1.1), for inputs of a few kilobytes. The implementation of the
/// cache is not public.
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
