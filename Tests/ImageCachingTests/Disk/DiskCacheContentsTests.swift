import ImageCore
import Testing

@testable import ImageCaching

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
