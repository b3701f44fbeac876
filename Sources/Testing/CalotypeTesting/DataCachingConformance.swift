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
/// - Parameter make: Makes an empty cache with room for a hundred entries of 10,000 bytes. Called four times.
/// - Throws: ``ConformanceFailure`` for the first violation, or an error of `make` or the cache.
public func checkDataCachingConformance(_ make: @Sendable () async throws -> any DataCaching) async throws {
    try await checkEntries(of: make())
    try await checkBodies(of: make())
    try await checkRemoval(in: make())
    try await checkTasks(of: make())
}

private func checkEntries(of cache: any DataCaching) async throws {
    let key = sampleKey("a")
    try ConformanceFailure.require(await cache.entry(for: key) == nil, "An empty cache returned an entry.")
    let fields: HTTPFields = [.contentType: "image/png", .eTag: "\"1\"", .cacheControl: "max-age=60, private"]
    let stored = DataEntry(data: sample(1), head: HTTPResponse(status: .notFound, headerFields: fields), storedAt: 1_234.5)
    try await cache.store(stored, for: key)
    for isDurable in [false, true] {
        if isDurable { try await cache.flush() }
        let when = isDurable ? "after a flush" : "right after it was stored"
        guard let found = try await cache.entry(for: key) else { throw ConformanceFailure("An entry was missing \(when).") }
        try ConformanceFailure.require(found.data == stored.data, "An entry had other bytes \(when).")
        try ConformanceFailure.require(found.data.startIndex == 0, "The bytes of an entry did not start at index 0 \(when).")
        try ConformanceFailure.require(
            found.head == stored.head, "An entry had other response headers or another status \(when).")
        try ConformanceFailure.require(found.storedAt == stored.storedAt, "The entry's storedAt changed \(when).")
    }
    try ConformanceFailure.require(
        await cache.entry(for: sampleKey("a", variant: "blur")) == nil,
        "An entry was returned for another variant of its resource.")
    try await cache.store(DataEntry(data: sample(2), storedAt: 1), for: key)
    try ConformanceFailure.require(
        await cache.entry(for: key)?.data == sample(2), "Storing a second entry for a key did not replace the first.")
}

private func checkBodies(of cache: any DataCaching) async throws {
    // A slice's indices start where it was cut, and the cache must return bodies of every length unchanged.
    let bodies = [Data(), Data([0]), sample(3).dropFirst(17), Data(repeating: 0xff, count: 10_000)]
    for (i, body) in bodies.enumerated() { try await cache.store(DataEntry(data: body, storedAt: 1), for: sampleKey("\(i)")) }
    try await cache.flush()
    for (i, body) in bodies.enumerated() {
        try ConformanceFailure.require(
            await cache.entry(for: sampleKey("\(i)"))?.data == body, "A body of \(body.count) bytes was changed.")
    }
}

private func checkRemoval(in cache: any DataCaching) async throws {
    for i in 0..<5 { try await cache.store(DataEntry(data: sample(i), storedAt: 1), for: sampleKey("\(i)")) }
    try await cache.removeEntry(for: sampleKey("3"))
    try await cache.removeEntry(for: sampleKey("never stored"))
    try ConformanceFailure.require(await cache.entry(for: sampleKey("3")) == nil, "A removed entry was returned.")
    try ConformanceFailure.require(
        await cache.entry(for: sampleKey("4"))?.data == sample(4), "Removing one entry removed another.")
    try await cache.store(DataEntry(data: sample(4), storedAt: 1), for: sampleKey("4", variant: "blur"))
    try await cache.removeEntries(of: sampleKey("4").resource)
    for variant in [nil, "blur"] {
        try ConformanceFailure.require(
            await cache.entry(for: sampleKey("4", variant: variant)) == nil,
            "An entry was returned after all entries of its source were removed.")
    }
    try await cache.removeAll()
    for i in 0..<5 {
        try ConformanceFailure.require(
            await cache.entry(for: sampleKey("\(i)")) == nil, "An entry was returned after all were removed.")
    }
    try await cache.store(DataEntry(data: sample(9), storedAt: 1), for: sampleKey("3"))
    try ConformanceFailure.require(
        await cache.entry(for: sampleKey("3"))?.data == sample(9), "A cache that was emptied does not store new entries.")
}

private func checkTasks(of cache: any DataCaching) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<4 {
            group.addTask {
                for i in 0..<100 {
                    let n = worker * 10 + i % 10
                    try await cache.store(DataEntry(data: sample(n), storedAt: Double(n)), for: sampleKey("\(n)"))
                    guard let found = try await cache.entry(for: sampleKey("\(n)")) else { continue }
                    try ConformanceFailure.require(
                        found.data == sample(n) && found.storedAt == Double(n),
                        "With several tasks at once, the cache returned the entry of another key.")
                }
            }
        }
        try await group.waitForAll()
    }
}

private func sampleKey(_ name: String, variant: String? = nil) -> DataKey {
    DataKey(resource: ResourceKey("https://example.org/\(name)"), variant: variant)
}

private func sample(_ seed: Int) -> Data { Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ seed &* 31) }) }
