/// A memory cache or a data cache, whose entries have a mark from 0 to 99 by which a check recognises them.
protocol MarkedCache: Sendable {
    /// What the cache stores, in the sentence of a failure.
    var noun: String { get }
    /// The mark of an entry; `nil` without an entry.
    func mark(_ name: String, _ variant: String?) async throws -> Int?
    func store(_ mark: Int, _ name: String, _ variant: String?) async throws
    func remove(_ name: String) async throws
    func removeSource(_ name: String) async throws
    func removeAll() async throws
}

func checkEntries(of cache: some MarkedCache) async throws {
    let noun = cache.noun
    try require(await cache.mark("a", nil) == nil, "An empty cache returned an \(noun).")
    try await cache.store(1, "a", nil)
    try require(await cache.mark("a", nil) == 1, "An \(noun) that was just stored could not be read.")
    try require(await cache.mark("a", "blur") == nil, "An \(noun) was returned for another variant of its resource.")
    try await cache.store(2, "a", nil)
    try require(await cache.mark("a", nil) == 2, "Storing a second \(noun) for a key did not replace the first.")
    try await cache.store(3, "a", "blur")
    try require(await cache.mark("a", nil) == 2, "Storing a variant replaced another variant.")
}

func checkRemoval(in cache: some MarkedCache) async throws {
    let noun = cache.noun
    for mark in 0..<10 { try await cache.store(mark, "\(mark)", nil) }
    try await cache.remove("3")
    try await cache.remove("never stored")
    try require(await cache.mark("3", nil) == nil, "A removed \(noun) was returned.")
    try require(await cache.mark("4", nil) == 4, "Removing one \(noun) removed another.")
    try await cache.store(9, "4", "blur")
    try await cache.removeSource("4")
    for variant in [nil, "blur"] {
        let isRemoved = try await cache.mark("4", variant) == nil
        try require(isRemoved, "An \(noun) was returned after everything from its source was removed.")
    }
    try await cache.removeAll()
    for mark in 0..<10 {
        try require(await cache.mark("\(mark)", nil) == nil, "An \(noun) was returned after all were removed.")
    }
    try await cache.store(7, "3", nil)
    try require(await cache.mark("3", nil) == 7, "A cache that was emptied does not store a new \(noun).")
}

/// Uses a cache from four tasks at once.
func checkTasks(of cache: some MarkedCache, rounds: Int) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<4 {
            group.addTask {
                for round in 0..<rounds {
                    let mark = (round * 7 + worker * 13) % 50
                    if let found = try await cache.mark("\(mark)", nil) {
                        try require(
                            found == mark, "With several tasks at once, the cache returned the \(cache.noun) of another key.")
                    } else {
                        try await cache.store(mark, "\(mark)", nil)
                    }
                    if round % 100 == 99 { try await cache.remove("\(mark)") }
                }
            }
        }
        try await group.waitForAll()
    }
}
