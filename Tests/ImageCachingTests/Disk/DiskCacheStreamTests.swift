import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// Bodies that are stored and read in chunks.
@Suite struct DiskCacheStreamTests {
    private struct Broken: Error {}

    /// A stream of the entry's bytes in chunks; throws at the end if `breaks` is `true`.
    private func stream(_ entry: DataEntry, piece: Int = 100_000, breaks: Bool = false) -> DataEntryStream {
        let rest = Lock(Array(entry.data))
        let body = ByteStream {
            let next = rest.withLock { rest in
                defer { rest.removeFirst(min(piece, rest.count)) }
                return Data(rest.prefix(piece))
            }
            if next.isEmpty, breaks { throw Broken() }
            return next.isEmpty ? nil : next
        }
        return DataEntryStream(body: body, head: entry.head, storedAt: entry.storedAt)
    }

    private func collect(_ stream: DataEntryStream?) async throws -> (data: Data, pieces: Int)? {
        guard let stream else { return nil }
        var (data, pieces) = (Data(), 0)
        for try await chunk in stream.body {
            data.append(chunk)
            pieces += 1
        }
        return (data, pieces)
    }

    @Test(arguments: [0, 1, 99_999, 100_000, 1_048_575, 1_048_576, 3_000_001])
    func aStreamedBodyCanBeReadWholeAndAsAStream(count: Int) async throws {
        let folder = try Folder()
        let cache = folder.cache()
        let stored = entry(1, count: count)
        try await cache.store(stream(stored), for: dataKey("a"))
        for cache in [cache, folder.cache()] {
            let whole = try await cache.entry(for: dataKey("a"))
            #expect(whole?.data == stored.data)
            #expect(whole?.head == stored.head)
            #expect(whole?.storedAt == stored.storedAt)
            let streamed = try await cache.stream(for: dataKey("a"))
            #expect(streamed?.head == stored.head)
            #expect(streamed?.storedAt == stored.storedAt)
            #expect(try await collect(streamed)?.data == stored.data)
            try await cache.flush()
        }
    }

    @Test func aLargeBodyIsReadInChunksAndASmallOneAtOnce() async throws {
        let cache = try Folder().cache()
        try await cache.store(entry(1, count: 2_000_000), for: dataKey("large"))
        try await cache.store(entry(2, count: 1_000_000), for: dataKey("small"))
        try await cache.trim(toBytes: 100_000_000)
        #expect(try await collect(cache.stream(for: dataKey("large")))?.pieces == 8)
        #expect(try await collect(cache.stream(for: dataKey("small")))?.pieces == 1)
        #expect(try await cache.stream(for: dataKey("never stored")) == nil)
        let statistics = await cache.statistics
        #expect(statistics.hits == 2)
        #expect(statistics.misses == 1)
    }

    @Test func aStreamThatFailsKeepsTheOldEntryAndLeavesNoFile() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.flush()
        let packs = folder.packs.count
        await #expect(throws: Broken.self) {
            try await cache.store(stream(entry(2, count: 500_000), breaks: true), for: dataKey("a"))
        }
        #expect(try await cache.entry(for: dataKey("a"))?.data == content(1))
        #expect(folder.packs.count == packs)
        #expect(try await folder.cache().entry(for: dataKey("a"))?.data == content(1))
    }

    @Test func aStreamAboveTheLimitIsNotStoredAndTheOldEntryIsRemoved() async throws {
        let folder = try Folder()
        let cache = folder.cache(.init(maximumBytes: 300_000, minimumBytes: 0))
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.store(stream(entry(2, count: 400_000)), for: dataKey("a"))
        #expect(try await cache.entry(for: dataKey("a")) == nil)
        #expect(await cache.statistics.refusals == 1)
        #expect(folder.packBytes <= 300_000)
    }

    @Test func theLimitHoldsAfterEveryStream() async throws {
        let folder = try Folder()
        let cache = folder.cache(.init(maximumBytes: 1_000_000, minimumBytes: 0))
        for i in 0..<12 {
            try await cache.store(stream(entry(i, count: 200_000)), for: dataKey(i))
            #expect(folder.packBytes <= 1_000_000)
        }
        #expect(try await cache.entry(for: dataKey(11))?.data == content(11, count: 200_000))
    }

    @Test func aStreamReplacesEarlierEntriesAndIsReplacedByLaterOnes() async throws {
        let cache = try Folder().cache()
        try await cache.store(entry(1), for: dataKey("a"))
        try await cache.store(stream(entry(2, count: 150_000)), for: dataKey("a"))
        #expect(try await cache.entry(for: dataKey("a"))?.data == content(2, count: 150_000))
        try await cache.store(entry(3), for: dataKey("a"))
        #expect(try await cache.entry(for: dataKey("a"))?.data == content(3))
    }

    @Test(arguments: [100, 300_000, 1_999_000])
    func aDamagedBodyThrowsBeforeItsEndAndIsRemoved(position: Int) async throws {
        let folder = try Folder()
        try await folder.cache().store(stream(entry(1, count: 2_000_000)), for: dataKey("a"))
        let pack = try #require(folder.packs.first)
        var bytes = try Data(contentsOf: pack)
        bytes[position] ^= 1
        try bytes.write(to: pack)
        let cache = folder.cache()
        let found = try await cache.stream(for: dataKey("a"))
        do {
            let data = try await collect(found)?.data
            #expect(data == nil, "a damaged body was called whole")
        } catch { #expect((error as? ImageError)?.code == .cacheFailed) }
        #expect(try await cache.entry(for: dataKey("a")) == nil)
        #expect(await cache.statistics.evictions.damaged == 1)
    }

    @Test func aFullDiskLosesTheEntryWithOneWarning() async throws {
        for call in 3..<12 {
            let folder = try Folder()
            let warnings = Warnings()
            let cache = folder.cache(warnings: warnings, files: FaultyFiles(.always(code: 28), at: call))
            try await cache.store(stream(entry(1, count: 300_000)), for: dataKey("a"))
            if let found = try await cache.entry(for: dataKey("a")) { #expect(found.data == content(1, count: 300_000)) }
            #expect(warnings.kinds.count <= 1, "call \(call): \(warnings.messages)")
            if let found = try await folder.cache().entry(for: dataKey("a")) { #expect(found.data == content(1, count: 300_000)) }
        }
    }

    @Test func afterACrashAtAnyCallTheEntryIsCompleteOrMissing() async throws {
        let total = FaultyFiles(.death, at: .max)
        try await Folder().cache(files: total).store(stream(entry(1, count: 300_000)), for: dataKey("a"))
        for death in 0..<total.count {
            let folder = try Folder()
            let dying = folder.cache(files: FaultyFiles(.death, at: death))
            try await dying.store(stream(entry(1, count: 300_000)), for: dataKey("a"))
            let warnings = Warnings()
            let cache = folder.cache(warnings: warnings)
            if let found = try await cache.entry(for: dataKey("a")) { #expect(found.data == content(1, count: 300_000)) }
            #expect(warnings.kinds.isEmpty, "death at \(death): \(warnings.messages)")
            withExtendedLifetime(dying) {}
        }
    }

    @Test func cachesWithoutStreamSupportCollectTheBody() async throws {
        let pocket = Pocket()
        try await pocket.store(stream(entry(1, count: 250_000)), for: dataKey("a"))
        #expect(try await pocket.entry(for: dataKey("a"))?.data == content(1, count: 250_000))
        #expect(try await collect(pocket.stream(for: dataKey("a")))?.data == content(1, count: 250_000))
    }

    @Test(arguments: [0, 1, 7, 31, 32, 33, 64, 100, 1_000])
    func aChecksumDoesNotDependOnTheChunks(count: Int) {
        let bytes = Array(content(5, count: count))
        let whole = unsafe bytes.withUnsafeBytes { unsafe Checksum.of($0, seed: 7) }
        for piece in [1, 3, 32, 50] {
            var checksum = Checksum(seed: 7)
            for start in stride(from: 0, to: count, by: piece) {
                unsafe bytes[start..<min(count, start + piece)].withUnsafeBytes { unsafe checksum.append($0) }
            }
            #expect(checksum.value == whole, "pieces of \(piece)")
        }
    }

    /// The values of the reference implementation for no bytes and for "abc".
    @Test func theChecksumIsXXH64() {
        #expect(unsafe Array<UInt8>().withUnsafeBytes { unsafe Checksum.of($0) } == 0xef46_db37_51d8_e999)
        #expect(unsafe Array("abc".utf8).withUnsafeBytes { unsafe Checksum.of($0) } == 0x44bc_2cf5_ad77_0999)
    }
}

/// Listing and verifying entries, as the command does.
@Suite struct DiskCacheContentsTests {
    @Test func itemsComeInTheOrderOfTheirUse() async throws {
        let cache = try Folder().cache()
        for i in 0..<3 { try await cache.store(entry(i, count: 100 * (i + 1)), for: dataKey(i)) }
        try await cache.flush()
        _ = try await cache.entry(for: dataKey(0))
        let items = await cache.items
        #expect(items.map(\.byteCount) == [100, 300, 200])
        #expect(items.allSatisfy { $0.name.count == 32 && $0.writtenAt == 1_700_000_000 })
    }

    @Test func verificationRemovesOnlyDamagedEntries() async throws {
        let folder = try Folder()
        let cache = folder.cache(.init(maximumBytes: 250_000, minimumBytes: 0))
        for i in 0..<3 {
            try await cache.store(entry(i, count: 8_000), for: dataKey(i))
            try await cache.flush()
        }
        #expect(try await cache.verify() == verification(count: 3, bytes: 24_000, damaged: 0))
        var bytes = try Data(contentsOf: folder.packs[1])
        bytes[5_000] ^= 1
        try bytes.write(to: folder.packs[1])
        #expect(
            try await folder.cache(.init(maximumBytes: 250_000, minimumBytes: 0)).verify()
                == verification(count: 3, bytes: 24_000, damaged: 1))
        #expect(
            try await folder.cache(.init(maximumBytes: 250_000, minimumBytes: 0)).verify()
                == verification(count: 2, bytes: 16_000, damaged: 0))
    }

    private func verification(count: Int, bytes: Int, damaged: Int) -> DiskCache.Verification {
        var result = DiskCache.Verification()
        (result.count, result.byteCount, result.damagedCount) = (count, bytes, damaged)
        return result
    }
}

@Suite struct SharedEntryTests {
    @Test func anEntryIsDecodedOnlyUnderItsName() throws {
        let stored = entry(1)
        let bytes = try #require(SharedEntry.encode(stored, name: "a"))
        let found = unsafe bytes.withUnsafeBytes { unsafe SharedEntry.decode($0, name: "a") }
        #expect(found?.data == stored.data)
        #expect(found?.head == stored.head)
        #expect(found?.storedAt == stored.storedAt)
        #expect(unsafe bytes.withUnsafeBytes { unsafe SharedEntry.decode($0, name: "b") } == nil)
    }

    @Test func anyChangedOrMissingByteMakesItAMiss() throws {
        let bytes = try #require(SharedEntry.encode(entry(1, count: 50), name: "a"))
        for i in bytes.indices {
            var changed = bytes
            changed[i] ^= 0x10
            #expect(unsafe changed.withUnsafeBytes { unsafe SharedEntry.decode($0, name: "a") } == nil, "byte \(i)")
            let cut = Array(bytes[..<i])
            #expect(unsafe cut.withUnsafeBytes { unsafe SharedEntry.decode($0, name: "a") } == nil, "cut at \(i)")
        }
        let longer = bytes + [0]
        #expect(unsafe longer.withUnsafeBytes { unsafe SharedEntry.decode($0, name: "a") } == nil)
    }
}
