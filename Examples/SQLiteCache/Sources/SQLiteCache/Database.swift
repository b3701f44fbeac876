import CSQLite
import ImageCore

/// `SQLITE_TRANSIENT`, a macro that Swift does not import: SQLite copies the value.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// An error of SQLite.
struct DatabaseError: Error, CustomStringConvertible {
    let code: Int32
    let description: String
}

/// A connection to a database file, for one thread at a time. An open transaction is rolled back when it ends.
final class Database {
    enum Value { case text(String), blob(Data), integer(Int64), real(Double) }

    private var handle: OpaquePointer?

    init(path: String) throws {
        try check(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil))
        // A statement waits that long for another process.
        try check(sqlite3_busy_timeout(handle, 5_000))
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements.
    func execute(_ script: String) throws { try check(sqlite3_exec(handle, script, nil, nil, nil)) }

    /// Runs one statement with values for its question marks.
    ///
    /// - Parameter read: reads the columns of the first row of the result.
    /// - Returns: what `read` returns; `nil` for a result without rows.
    @discardableResult
    func run<R>(_ sql: String, _ values: Value..., read: (OpaquePointer?) -> R = { _ in }) throws -> R? {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        for (index, value) in zip(Int32(1)..., values) {
            switch value {
            case .text(let text): try check(sqlite3_bind_text(statement, index, text, -1, copied))
            case .integer(let integer): try check(sqlite3_bind_int64(statement, index, integer))
            case .real(let real): try check(sqlite3_bind_double(statement, index, real))
            case .blob(let data):
                // Empty data have no address and become NULL.
                try data.withUnsafeBytes {
                    try check(sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), copied))
                }
            }
        }
        var code = sqlite3_step(statement)
        let result = code == SQLITE_ROW ? read(statement) : nil
        while code == SQLITE_ROW { code = sqlite3_step(statement) }
        try check(code)
        return result
    }

    /// Makes everything that was committed durable, and empties the write-ahead log.
    func checkpoint() throws { try check(sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)) }

    /// Empties the file, even if it is damaged or no database. Other processes may use it meanwhile.
    func reset() throws {
        // SQLite learns whether the file has a write-ahead log.
        _ = try? run("SELECT * FROM sqlite_master")
        try check(sqlite_shim_allow_reset(handle, 1))
        try execute("VACUUM")
        try check(sqlite_shim_allow_reset(handle, 0))
    }

    /// The bytes in a column of a row; empty for NULL.
    static func blob(_ row: OpaquePointer?, _ column: Int32) -> Data {
        sqlite3_column_blob(row, column).map { Data(bytes: $0, count: Int(sqlite3_column_bytes(row, column))) } ?? Data()
    }

    private func check(_ code: Int32) throws {
        guard code != SQLITE_OK, code != SQLITE_DONE else { return }
        throw DatabaseError(code: code, description: "SQLite: \(String(cString: sqlite3_errmsg(handle))) (\(code))")
    }
}
