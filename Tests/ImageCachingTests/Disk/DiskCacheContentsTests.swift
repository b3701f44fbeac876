import ImageCore
import Testing

@testable import ImageCaching

/// Listing and verifying entries, as the command does.
@Suite(.timeLimit(.minutes(1))) struct DiskCacheContentsTests {
    @Test func itemsComeInTheOrderOfTheirUse() async throws {
        let cache = try Folder().cache()
        for i in 0..<3 { try await cache.store(entry(i, count: 100 * (i + 1)), for: dataKey(i)) }
        try await cache.flush()
        _ = try await cache.entry(for: dataKey(0))
        let items = await cache.items
        #expect(items.map(\.byteCount) == [100, 300, 200])
        #expect(items.allSatisfy { $0.name.count == 64 && $0.writtenAt == 1_700_000_000 })
    }

    @Test func verificationRemovesOnlyDamagedEntries() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        for i in 0..<3 { try await cache.store(entry(i, count: 8_000), for: dataKey(i)) }
        #expect(try await cache.verify() == verification(count: 3, bytes: 24_000, damaged: 0))
        let file = folder.file(of: dataKey(1))
        var bytes = try Data(contentsOf: file)
        bytes[5_000] ^= 1
        try bytes.write(to: file)
        #expect(try await folder.cache().verify() == verification(count: 3, bytes: 24_000, damaged: 1))
        #expect(try await folder.cache().verify() == verification(count: 2, bytes: 16_000, damaged: 0))
    }

    @Test func listingAndVerifyingAreNoUses() async throws {
        let folder = try Folder()
        let cache = folder.cache()
        for i in 0..<3 { try await cache.store(entry(i), for: dataKey(i)) }
        try await cache.flush()
        let before = await cache.items
        _ = try await cache.verify()
        try await cache.flush()
        #expect(await folder.cache().items == before)
        #expect(before.map(\.name) == [2, 1, 0].map { dataKey($0).digest })
    }

    private func verification(count: Int, bytes: Int, damaged: Int) -> DiskCache.Verification {
        var result = DiskCache.Verification()
        (result.count, result.byteCount, result.damagedCount) = (count, bytes, damaged)
        return result
    }
}
