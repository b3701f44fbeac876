import CSQLite
import CalotypeTesting
import ImageCore
import SQLiteCache
import Testing

@Test(.timeLimit(.minutes(1))) func theCacheKeepsTheContractOfDataCaches() async throws {
    let folders = Lock<[Folder]>([])
    try await checkDataCachingConformance(
        maximumBytes: 2_000_000,
        damage: { _ in
            var database: OpaquePointer?
            sqlite3_open(folders.withLock { $0.last?.file.path(percentEncoded: false) }, &database)
            sqlite3_exec(database, "UPDATE bodies SET body = zeroblob(length(body))", nil, nil, nil)
            sqlite3_close(database)
        },
        {
            let folder = try Folder()
            folders.withLock { $0.append(folder) }
            return folder.cache(maximumBytes: 2_000_000)
        })
}
