internal import HTTPTypes
public import ImageCore

/// Checks a data cache against the contract of `DataCaching`.
///
/// It stores and reads entries, before and after a flush, replaces and removes them, empties the cache, and uses it
/// from four tasks at once. It does not check limits or cancelled tasks.
///
/// ```swift
/// // In a test, with a custom cache:
/// try await checkDataCachingConformance {
///     DiskCache(.init(directory: URL(filePath: "/tmp/cache-test-\(UUID())", directoryHint: .isDirectory)))
/// }
/// ```
///
/// - Parameter make: Makes an empty cache with room for a hundred entries of 10,000 bytes. Called five times.
/// - Throws: ``ConformanceFailure`` for the first violation, or an error of `make` or the cache.
public func checkDataCachingConformance(_ make: @Sendable () async throws -> any DataCaching) async throws {
    try await checkEntries(of: MarkedEntries(cache: make()))
    try await checkHead(in: make())
    try await checkBodies(of: make())
    try await checkRemoval(in: MarkedEntries(cache: make()))
    try await checkTasks(of: MarkedEntries(cache: make()), rounds: 100)
}

private func checkHead(in cache: any DataCaching) async throws {
    let key = sampleKey("a")
    let fields: HTTPFields = [.contentType: "image/png", .eTag: "\"1\"", .cacheControl: "max-age=60, private"]
    let stored = DataEntry(data: sample(1), head: HTTPResponse(status: .notFound, headerFields: fields), storedAt: 1_234.5)
    try await cache.store(stored, for: key)
    for isDurable in [false, true] {
        if isDurable { try await cache.flush() }
        let when = isDurable ? "after a flush" : "right after it was stored"
        guard let found = try await cache.entry(for: key) else { throw ConformanceFailure("An entry was missing \(when).") }
        try require(found.data == stored.data, "An entry had other bytes \(when).")
        try require(found.data.startIndex == 0, "The bytes of an entry did not start at index 0 \(when).")
        try require(found.head == stored.head, "An entry had other response headers or another status \(when).")
        try require(found.storedAt == stored.storedAt, "The entry's storedAt changed \(when).")
    }
}

private func checkBodies(of cache: any DataCaching) async throws {
    // A slice's indices start where it was cut, and the cache must return bodies of every length unchanged.
    let bodies = [Data(), Data([0]), sample(3).dropFirst(17), Data(repeating: 0xff, count: 10_000)]
    for (i, body) in bodies.enumerated() { try await cache.store(DataEntry(data: body, storedAt: 1), for: sampleKey("\(i)")) }
    try await cache.flush()
    for (i, body) in bodies.enumerated() {
        try require(await cache.entry(for: sampleKey("\(i)"))?.data == body, "A body of \(body.count) bytes was changed.")
    }
}

/// Entries whose bytes and time depend on the mark.
private struct MarkedEntries: MarkedCache {
    let cache: any DataCaching
    var noun: String { "entry" }

    func mark(_ name: String, _ variant: String?) async throws -> Int? {
        guard let entry = try await cache.entry(for: sampleKey(name, variant: variant)) else { return nil }
        let mark = Int(entry.storedAt)
        try require(entry.data == sample(mark), "An entry had the bytes of another one.")
        return mark
    }
    func store(_ mark: Int, _ name: String, _ variant: String?) async throws {
        let entry = DataEntry(data: sample(mark), storedAt: Double(mark))
        try await cache.store(entry, for: sampleKey(name, variant: variant))
    }
    func remove(_ name: String) async throws { try await cache.removeEntry(for: sampleKey(name)) }
    func removeSource(_ name: String) async throws { try await cache.removeEntries(of: sampleKey(name).resource) }
    func removeAll() async throws { try await cache.removeAll() }
}

private func sampleKey(_ name: String, variant: String? = nil) -> DataKey {
    DataKey(resource: ResourceKey("https://example.org/\(name)"), variant: variant)
}

private func sample(_ seed: Int) -> Data { Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ seed &* 31) }) }
