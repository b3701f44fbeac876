internal import HTTPTypes
public import ImageCore

enum DataCachingRule: String, ConformanceRules {
    static let plugIn = "DataCaching"
    case storesEntries = "An entry that was stored is found, and replaces the last one of its key."
    case separatesKeys = "Entries of another resource, user or processing are neither found nor replaced."
    case removesEntries = "Removed entries are not found: by key, by source for all users and processings, or all."
    case keepsHeads = "Status, header fields and time are those that were stored; several fields of one name stay several."
    case keepsBodies = "Bodies of every length are those that were stored, also when they were a slice."
    case updatesHeads = "updateEntry(_:for:) replaces head and time, and keeps the body."
    case completesStores = "A store is completed although its task is cancelled."
    case dropsDamagedEntries = "A damaged entry is a miss or an error."
    case respectsLimits = "The cache keeps no more bytes than its limit."
    case countsEntries = "The statistics count the entries that the cache has."
    case worksForSeveralTasks = "Four tasks at once get no entry of another key."
    case followsPrograms = "In random programs the cache finds what a dictionary finds."
}

/// Checks a data cache against the contract of `DataCaching`.
///
/// ``ConformanceRule/all`` lists the rules. Those on damaged entries and on the limit need `damage` and `maximumBytes`.
/// A random program that fails is shortened, and its steps are in the message.
///
/// ```swift
/// // In a test, with a custom cache:
/// try await checkDataCachingConformance {
///     DiskCache(.init(directory: URL(filePath: "/tmp/cache-test-\(UUID())", directoryHint: .isDirectory)))
/// }
/// ```
///
/// - Parameters:
///   - maximumBytes: The limit of the caches that `make` makes, in bytes. Twice as many are stored. By default `nil`:
///     the limit is not checked.
///   - damage: Changes bytes of the bodies that a cache has stored, behind its back, such as in its files. By default
///     `nil`: damage is not checked.
///   - limit: The longest time that each rule may take. By default 60 seconds.
///   - make: Makes an empty cache with room for a hundred entries of 10,000 bytes. Called for each rule, and for each
///     random program.
/// - Throws: ``ConformanceFailure`` with all violations.
public func checkDataCachingConformance(
    maximumBytes: Int? = nil, damage: (@Sendable (any DataCaching) async throws -> Void)? = nil,
    limit: Duration = .seconds(60), _ make: @escaping @Sendable () async throws -> any DataCaching
) async throws {
    let rules = RuleChecker<DataCachingRule>(limit: limit)
    await rules.run(.storesEntries) { try await checkStoring(in: MarkedEntries(cache: make())) }
    await rules.run(.separatesKeys) { try await checkSeparation(in: MarkedEntries(cache: make())) }
    await rules.run(.removesEntries) { try await checkRemoval(in: MarkedEntries(cache: make())) }
    await rules.run(.keepsHeads) { try await checkHeads(in: make()) }
    await rules.run(.keepsBodies) { try await checkBodies(of: make()) }
    await rules.run(.updatesHeads) { try await checkUpdates(of: make()) }
    await rules.run(.completesStores) { try await checkCancelledStores(in: make()) }
    if let damage { await rules.run(.dropsDamagedEntries) { try await checkDamage(of: make(), damage) } }
    if let maximumBytes { await rules.run(.respectsLimits) { try await checkLimit(of: make(), maximumBytes) } }
    await rules.run(.countsEntries) { try await checkCounts(of: MarkedEntries(cache: make())) }
    await rules.run(.worksForSeveralTasks) { try await checkTasks(of: MarkedEntries(cache: make()), rounds: 100) }
    await rules.run(.followsPrograms) { try await checkPrograms(30) { MarkedEntries(cache: try await make()) } }
    try throwFailure(rules.violations)
}

private let sampleKey = DataKey(resource: ResourceKey("https://example.org/a"))

private func checkHeads(in cache: any DataCaching) async throws {
    var fields: HTTPFields = [.contentType: "image/png", .eTag: "\"1\"", .cacheControl: "max-age=60, private"]
    fields.append(HTTPField(name: .vary, value: "Accept"))
    fields.append(HTTPField(name: .vary, value: "Accept-Language"))
    fields.append(HTTPField(name: .setCookie, value: "a=1; Path=/"))
    fields.append(HTTPField(name: .setCookie, value: "b=2, 3"))
    let stored = DataEntry(data: sample(1), head: HTTPResponse(status: .notFound, headerFields: fields), storedAt: 1_234.5)
    try await cache.store(stored, for: sampleKey)
    for isDurable in [false, true] {
        if isDurable { try await cache.flush() }
        let when = isDurable ? "after a flush" : "right after it was stored"
        guard let found = try await cache.entry(for: sampleKey) else { throw RuleViolation("An entry was missing \(when).") }
        try require(found.head.status == stored.head.status, "An entry had the status \(found.head.status) \(when).")
        for name in Set(fields.map(\.name)) {
            try require(
                found.head.headerFields[values: name] == fields[values: name],
                "\(name) was \(found.head.headerFields[values: name]) \(when), not \(fields[values: name]).")
        }
        try require(found.head == stored.head, "An entry had other response headers \(when).")
        try require(
            found.storedAt == stored.storedAt, "The entry's storedAt was \(found.storedAt) \(when), not \(stored.storedAt).")
    }
}

private func checkBodies(of cache: any DataCaching) async throws {
    // A slice's indices start where it was cut, and the cache must return bodies of every length unchanged.
    let bodies = [Data(), Data([0]), sample(3).dropFirst(17), Data(repeating: 0xff, count: 10_000)]
    func key(_ number: Int) -> DataKey { DataKey(resource: ResourceKey("https://example.org/\(number)")) }
    for (number, body) in bodies.enumerated() { try await cache.store(DataEntry(data: body, storedAt: 1), for: key(number)) }
    for isDurable in [false, true] {
        if isDurable { try await cache.flush() }
        for (number, body) in bodies.enumerated() {
            let found = try await cache.entry(for: key(number))?.data
            try require(found == body, "A body of \(body.count) bytes was changed or lost.")
        }
    }
}

private func checkUpdates(of cache: any DataCaching) async throws {
    try await cache.store(DataEntry(data: sample(1), storedAt: 1), for: sampleKey)
    let head = HTTPResponse(status: .ok, headerFields: [.eTag: "\"2\""])
    try await cache.updateEntry(DataEntry(data: sample(1), head: head, storedAt: 2), for: sampleKey)
    let found = try await cache.entry(for: sampleKey)
    try require(found?.head == head && found?.storedAt == 2, "The old head or time was returned after an update.")
    try require(found?.data == sample(1), "The body was changed or lost by an update of the head.")
}

private func checkCancelledStores(in cache: any DataCaching) async throws {
    for round in 0..<20 {
        let key = DataKey(resource: ResourceKey("https://example.org/\(round)"))
        let store = Task {
            // Half of the stores begin in a task that is cancelled already.
            if round % 2 == 0 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            try await cache.store(DataEntry(data: sample(round), storedAt: Double(round)), for: key)
        }
        store.cancel()
        do { try await store.value } catch { throw RuleViolation("A store whose task was cancelled threw \(text(of: error)).") }
        try require(await cache.entry(for: key)?.data == sample(round), "A store whose task was cancelled was not completed.")
    }
}

private func checkDamage(of cache: any DataCaching, _ damage: (any DataCaching) async throws -> Void) async throws {
    try await cache.store(DataEntry(data: sample(1), storedAt: 1), for: sampleKey)
    try await cache.flush()
    try await damage(cache)
    guard let found = try? await cache.entry(for: sampleKey) else { return }
    try require(found.data == sample(1), "An entry was returned with other bytes than were stored.")
}

private func checkLimit(of cache: any DataCaching, _ maximumBytes: Int) async throws {
    let count = max(1, maximumBytes / 5_000)
    func key(_ number: Int) -> DataKey { DataKey(resource: ResourceKey("https://example.org/\(number)")) }
    for number in 0..<count {
        try await cache.store(DataEntry(data: Data(repeating: 1, count: 10_000), storedAt: 1), for: key(number))
    }
    try await cache.flush()
    var bytes = 0
    for number in 0..<count { bytes += try await cache.entry(for: key(number))?.data.count ?? 0 }
    try require(bytes <= maximumBytes, "The cache kept \(bytes) bytes; its limit is \(maximumBytes).")
}

private func checkCounts(of entries: MarkedEntries) async throws {
    let keys = (0..<20).map { MarkedKey("\($0)") }
    func compare(_ when: String) async throws {
        try await entries.cache.flush()
        // A cache may have no statistics, one of several tiers counts an entry in each, and a shared store counts none.
        guard let statistics = entries.cache.cacheStatistics.first, entries.cache.cacheStatistics.count == 1,
            statistics.count > 0 || statistics.byteCount > 0
        else { return }
        var found = 0
        for key in keys where try await entries.mark(of: key) != nil { found += 1 }
        try require(
            statistics.count == found, "\(when), the statistics count \(statistics.count) entries, but the cache has \(found).")
        try require(found > 0 || statistics.byteCount == 0, "\(when), the statistics count \(statistics.byteCount) bytes.")
    }
    for round in 0..<2 {
        for (mark, key) in keys.enumerated() { try await entries.store(mark + round, for: key) }
        try await compare("After entries were stored and replaced")
        for key in keys.prefix(7) + [MarkedKey("never stored")] { try await entries.remove(key) }
        try await compare("After entries were removed")
    }
    try await entries.removeAll()
    try await compare("After all entries were removed")
}

/// Entries whose bytes and time depend on the mark.
private struct MarkedEntries: MarkedCache {
    let cache: any DataCaching
    var noun: String { "entry" }

    func mark(of key: MarkedKey) async throws -> Int? {
        guard let entry = try await cache.entry(for: self.key(key)) else { return nil }
        let mark = Int(entry.storedAt)
        try require(entry.data == sample(mark), "An entry had the bytes of another one.")
        return mark
    }
    func store(_ mark: Int, for key: MarkedKey) async throws {
        try await cache.store(DataEntry(data: sample(mark), storedAt: Double(mark)), for: self.key(key))
    }
    func remove(_ key: MarkedKey) async throws { try await cache.removeEntry(for: self.key(key)) }
    func removeSource(of key: MarkedKey) async throws { try await cache.removeEntries(of: key.resource) }
    func removeAll() async throws { try await cache.removeAll() }

    private func key(_ key: MarkedKey) -> DataKey { DataKey(resource: key.resource, variant: key.variant) }
}

private func sample(_ seed: Int) -> Data { Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ seed &* 31) }) }
