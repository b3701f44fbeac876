import CSQLite
import ImageCore

/// The entries in a database file.
// @unchecked because only the thread of a cache calls its methods.
final class EntryTable: @unchecked Sendable {
    private let configuration: SQLiteCache.Configuration
    private var database: Database?
    /// The last uses of entries, which are written with the next change.
    private var uses: [String: Double] = [:]
    /// The counters, and the contents after the last change; for any thread.
    let statistics = Lock(CacheStatistics(name: "sqlite"))

    /// Bodies have a separate table, so that they are not written when the head or the time of use changes.
    private static let schema = """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = NORMAL;
        CREATE TABLE IF NOT EXISTS bodies (name TEXT PRIMARY KEY, body BLOB);
        CREATE TABLE IF NOT EXISTS entries (name TEXT PRIMARY KEY, head BLOB NOT NULL, stored_at REAL NOT NULL,
            checksum INTEGER NOT NULL, written REAL NOT NULL, used REAL NOT NULL, bytes INTEGER NOT NULL);
        CREATE INDEX IF NOT EXISTS entries_by_age ON entries (written);
        CREATE INDEX IF NOT EXISTS entries_by_use ON entries (used, bytes);
        CREATE TRIGGER IF NOT EXISTS remove_body AFTER DELETE ON entries BEGIN DELETE FROM bodies WHERE name = OLD.name; END;
        """

    /// Sums the bytes from the last used entry to the first. Since it reads all entries, it removes a tenth.
    private static let evict = """
        DELETE FROM entries WHERE rowid IN (SELECT rowid FROM
        (SELECT rowid, sum(bytes) OVER (ORDER BY used DESC, rowid DESC) AS sum FROM entries) WHERE sum > ?)
        """

    init(_ configuration: SQLiteCache.Configuration) { self.configuration = configuration }

    private var maximumBytes: Int { max(0, configuration.maximumBytes) }
    /// When an entry that expires now was written.
    private var oldest: Double { configuration.now() - configuration.timeToLive / .seconds(1) }

    func entry(named name: String) throws -> DataEntry? {
        let query = "SELECT head, body, stored_at, checksum FROM entries JOIN bodies USING (name) WHERE name = ? AND written >= ?"
        let found = try use { database in
            try database.run(query, .text(name), .real(oldest)) { row -> DataEntry? in
                let (head, body, storedAt) = (Database.blob(row, 0), Database.blob(row, 1), sqlite3_column_double(row, 2))
                guard sqlite3_column_int64(row, 3) == Self.checksum(of: body, head: head, storedAt, name),
                    let response = try? JSONDecoder().decode(HTTPResponse.self, from: head)
                else { return nil }
                return DataEntry(data: body, head: response, storedAt: storedAt)
            }
        }
        statistics.withLock { [isHit = found ?? nil != nil] in if isHit { $0.hits += 1 } else { $0.misses += 1 } }
        guard let entry = found ?? nil else { return nil }
        uses[name] = configuration.now()
        // The entry is good even if the uses cannot be written.
        if uses.count >= 256 { try? change { _ in } }
        return entry
    }

    /// Stores an entry.
    ///
    /// - Parameter mode: `REPLACE`, or `IGNORE` to keep a body that is there.
    func store(_ entry: DataEntry, named name: String, body mode: String) throws {
        let head = try JSONEncoder().encode(entry.head)
        let bytes = head.count + entry.data.count
        // A larger one would evict most of the others.
        guard bytes <= maximumBytes / 2 else {
            statistics.withLock { $0.refusals += 1 }
            return try remove(from: name, to: name)
        }
        let (checksum, now) = (Self.checksum(of: entry.data, head: head, entry.storedAt, name), configuration.now())
        try change { database in
            try database.run(
                "REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", .text(name), .blob(head), .real(entry.storedAt),
                .integer(checksum), .real(now), .real(now), .integer(Int64(bytes)))
            try database.run("INSERT OR \(mode) INTO bodies VALUES (?, ?)", .text(name), .blob(entry.data))
        }
        statistics.withLock { $0.stores += 1 }
    }

    /// Removes the entries whose names are in a range.
    func remove(from first: String, to last: String) throws {
        try change { try $0.run("DELETE FROM entries WHERE name BETWEEN ? AND ?", .text(first), .text(last)) }
    }

    /// Removes everything, and gives the space back to the system.
    func removeAll() throws {
        _ = try open(resetting: true)
        try flush()
    }

    func flush() throws {
        try change { _ in }
        try use { try $0.checkpoint() }
    }

    /// Changes entries in one transaction, which writes the uses and enforces the limits, too.
    private func change(_ body: (Database) throws -> Void) throws {
        try use { database in
            // Uses are lost where they cannot be written.
            defer { uses = [:] }
            // At once a writer, because a reader that becomes one cannot wait for another.
            try database.execute("BEGIN IMMEDIATE")
            try body(database)
            for (name, time) in uses { try database.run("UPDATE entries SET used = ? WHERE name = ?", .real(time), .text(name)) }
            try database.run("DELETE FROM entries WHERE written < ?", .real(oldest))
            var contents = (count: 0, bytes: 0)
            for isEvicted in [false, true] {
                try database.run("SELECT count(*), total(bytes) FROM entries") {
                    contents = (Int(sqlite3_column_int64($0, 0)), Int(sqlite3_column_int64($0, 1)))
                }
                if contents.bytes <= maximumBytes { break }
                if isEvicted { throw DatabaseError(code: SQLITE_CORRUPT, description: "Entries are counted that are not there.") }
                try database.run(Self.evict, .integer(Int64(maximumBytes / 10 * 9)))
            }
            try database.execute("COMMIT")
            statistics.withLock { [contents] in ($0.count, $0.byteCount) = contents }
        }
    }

    /// Calls `body` with the open file. A file that is damaged or has other tables is emptied.
    private func use<R>(_ body: (Database) throws -> R) throws -> R {
        do { return try body(open()) } catch let error as DatabaseError {
            // The next call opens the file again. To close it rolls an open transaction back.
            database = nil
            guard [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_READONLY, SQLITE_ERROR].contains(error.code) else { throw error }
            return try body(open(resetting: true))
        }
    }

    private func open(resetting: Bool = false) throws -> Database {
        if let database, !resetting { return database }
        try FileManager.default.createDirectory(
            at: configuration.directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let opened = try Database(path: configuration.directory.appending(path: "images.sqlite").path(percentEncoded: false))
        if resetting { try opened.reset() }
        try opened.execute(Self.schema)
        database = opened
        return opened
    }

    /// FNV-1a (Fowler, Noll, Vo) of 64 bits, which finds damage but not forgery. It covers the name, so that a row that
    /// was copied is a miss.
    private static func checksum(of body: Data, head: Data, _ storedAt: Double, _ name: String) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for part in [Data("\(name) \(storedAt) \(head.count) ".utf8), head, body] {
            part.withUnsafeBytes { for byte in $0 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 } }
        }
        return Int64(bitPattern: hash)
    }
}
