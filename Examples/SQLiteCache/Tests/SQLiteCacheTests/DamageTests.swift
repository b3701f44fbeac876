import CalotypeTesting
import Foundation
import ImageCore
import Testing

@testable import SQLiteCache

@Suite(.timeLimit(.minutes(1))) struct DamageTests {
    /// Damage that SQLite does not see.
    @Test(arguments: [
        "UPDATE bodies SET body = zeroblob(length(body))",
        "UPDATE bodies SET body = NULL",
        "UPDATE entries SET head = replace(head, '200', '404')",
        "UPDATE entries SET head = x'00'",
        "UPDATE entries SET stored_at = stored_at + 1",
        "UPDATE entries SET checksum = checksum + 1",
        // The bodies change places, and then the entries with their bodies.
        """
        UPDATE bodies SET name = '-' || name;
        UPDATE bodies SET name = (SELECT name FROM entries WHERE '-' || name <> bodies.name)
        """,
        """
        UPDATE bodies SET name = '-' || name;
        UPDATE entries SET name = '-' || name;
        UPDATE entries SET name = (SELECT substr(name, 2) FROM bodies WHERE name <> entries.name);
        UPDATE bodies SET name = (SELECT name FROM entries WHERE '-' || name <> bodies.name)
        """,
        "DELETE FROM bodies",
    ])
    func anEntryThatWasChangedIsAMissUntilItIsStoredAgain(change: String) async throws {
        let folder = try Folder()
        let cache = folder.cache()
        for number in 1...2 { try await cache.store(entry(number), for: key("\(number)")) }
        try Database(path: folder.file.path(percentEncoded: false)).execute(change)
        for number in 1...2 { #expect(try await cache.entry(for: key("\(number)")) == nil) }
        try await cache.store(entry(1), for: key("1"))
        #expect(try await cache.entry(for: key("1"))?.data == body(1))
    }

    @Test(arguments: [
        Data("This is no database, but a text that is longer than the header of one. ".utf8) + Data(count: 10_000),
        Data("SQLite format 3\0".utf8) + Data(repeating: 0xff, count: 10_000),
        Data([1]),
    ])
    func aFileThatIsNoDatabaseIsReplaced(content: Data) async throws {
        let folder = try Folder()
        try content.write(to: folder.file)
        let cache = folder.cache()
        #expect(try await cache.entry(for: key("a")) == nil)
        try await cache.store(entry(1), for: key("a"))
        #expect(try await folder.cache().entry(for: key("a"))?.data == body(1))
    }

    @Test func aDatabaseWithOtherTablesIsReplaced() async throws {
        let folder = try Folder()
        try Database(path: folder.file.path(percentEncoded: false)).execute("CREATE TABLE entries (id); CREATE TABLE bodies (id)")
        let cache = folder.cache()
        #expect(try await cache.entry(for: key("a")) == nil)
        try await cache.store(entry(1), for: key("a"))
        #expect(try await folder.cache().entry(for: key("a"))?.data == body(1))
    }

    /// SQLite opens a file whose header names a later format for reads only.
    @Test func aFileOfALaterFormatIsReplacedWhenAnEntryIsStored() async throws {
        let (folder, other) = (try Folder(), try Folder())
        let cache = folder.cache()
        try await cache.store(entry(1), for: key("a"))
        try await cache.flush()
        var bytes = try Data(contentsOf: folder.file)
        bytes[18] = 3
        try bytes.write(to: other.file)
        let second = other.cache()
        try await second.store(entry(2), for: key("b"))
        #expect(try await second.entry(for: key("b"))?.data == body(2))
    }

    /// The index that the limit is checked with counts entries that cannot be removed, because they are not there.
    @Test func aDamagedIndexIsReplaced() async throws {
        let folder = try Folder()
        try await folder.cache().store(entry(1), for: key("a"))
        let damage = """
            CREATE TABLE others (used REAL, bytes INTEGER);
            CREATE INDEX others_by_use ON others (used, bytes);
            INSERT INTO others (rowid, used, bytes) VALUES (1000, 1, 1000000000), (1001, 1, 1000000000);
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'others_by_use')
            WHERE name = 'entries_by_use';
            """
        try Database(path: folder.file.path(percentEncoded: false)).execute(damage)
        let cache = folder.cache()
        try await cache.store(entry(2), for: key("b"))
        #expect(try await cache.entry(for: key("b"))?.data == body(2))
        #expect(cache.cacheStatistics[0].count == 1)
    }

    /// A cache finds what it stored or nothing, and works again, wherever bytes of its file change.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func damagedBytesAreNeverServed(seed: UInt64) async throws {
        let folder = try Folder()
        var random = SeededGenerator(seed: seed)
        let first = folder.cache()
        for number in 0..<20 { try await first.store(entry(number, count: 3_000), for: key("\(number)")) }
        try await first.flush()
        var bytes = try Data(contentsOf: folder.file)
        let place = seed % 2 == 0 ? bytes.indices : bytes.startIndex..<8_192
        for _ in 0..<200 { bytes[Int.random(in: place, using: &random)] = .random(in: 0...255, using: &random) }
        if seed % 5 == 0 { bytes = bytes.prefix(.random(in: 0..<bytes.count, using: &random)) }
        // In another directory, because the first cache still has its file open.
        let other = try Folder()
        try bytes.write(to: other.file)
        let second = other.cache()
        for number in 0..<20 {
            guard let found = try? await second.entry(for: key("\(number)")) else { continue }
            #expect(found.data == body(number, count: 3_000))
            #expect(found.storedAt == Double(number))
        }
        try await second.store(entry(99), for: key("99"))
        // SQLite does not see every damage of an index, so that this entry may be lost, too.
        if let found = try await second.entry(for: key("99")) { #expect(found.data == body(99)) }
        try await second.removeAll()
        try await second.store(entry(98), for: key("98"))
        #expect(try await second.entry(for: key("98"))?.data == body(98))
    }
}
