internal import ImageCore

/// A memory cache or a data cache, whose entries have a mark from 0 to 99 by which a check recognises them.
protocol MarkedCache: Sendable {
    /// What the cache stores, in messages.
    var noun: String { get }
    /// The mark of an entry; `nil` without an entry.
    func mark(of key: MarkedKey) async throws -> Int?
    func store(_ mark: Int, for key: MarkedKey) async throws
    func remove(_ key: MarkedKey) async throws
    /// Removes the entries with the source of a key.
    func removeSource(of key: MarkedKey) async throws
    func removeAll() async throws
}

/// A key of a cache.
struct MarkedKey: Hashable, Sendable, CustomStringConvertible {
    var name: String
    /// The processing of the image; `nil` for the original.
    var variant: String? = nil
    /// The user whose credentials are a part of the request.
    var user: String? = nil

    init(_ name: String, _ variant: String? = nil, user: String? = nil) {
        (self.name, self.variant, self.user) = (name, variant, user)
    }

    var resource: ResourceKey {
        let source = ResourceKey("https://example.org/\(name)")
        return user.map { source.varied(by: [$0]) } ?? source
    }

    var description: String { [name, variant, user.map { "of \($0)" }].compactMap(\.self).joined(separator: " ") }
}

func checkStoring(in cache: some MarkedCache) async throws {
    let noun = cache.noun
    try require(await cache.mark(of: MarkedKey("a")) == nil, "An empty cache returned an \(noun).")
    try await cache.store(1, for: MarkedKey("a"))
    try require(await cache.mark(of: MarkedKey("a")) == 1, "An \(noun) that was just stored could not be read.")
    try await cache.store(2, for: MarkedKey("a"))
    try require(await cache.mark(of: MarkedKey("a")) == 2, "Storing a second \(noun) for a key did not replace the first.")
}

func checkSeparation(in cache: some MarkedCache) async throws {
    let keys = [MarkedKey("a"), MarkedKey("a", "blur"), MarkedKey("a", user: "ann"), MarkedKey("a", user: "bob"), MarkedKey("A")]
    for (mark, key) in keys.enumerated() {
        try require(await cache.mark(of: key) == nil, "The \(cache.noun) of another key was returned for \(key).")
        try await cache.store(mark, for: key)
    }
    for (mark, key) in keys.enumerated() {
        try require(await cache.mark(of: key) == mark, "Storing the \(cache.noun) of another key replaced that of \(key).")
    }
}

func checkRemoval(in cache: some MarkedCache) async throws {
    let noun = cache.noun
    for mark in 0..<10 { try await cache.store(mark, for: MarkedKey("\(mark)")) }
    try await cache.remove(MarkedKey("3"))
    try await cache.remove(MarkedKey("never stored"))
    try require(await cache.mark(of: MarkedKey("3")) == nil, "A removed \(noun) was returned.")
    try require(await cache.mark(of: MarkedKey("4")) == 4, "Removing one \(noun) removed another.")
    let source = [MarkedKey("4"), MarkedKey("4", "blur"), MarkedKey("4", user: "ann"), MarkedKey("4", "blur", user: "ann")]
    for key in source { try await cache.store(9, for: key) }
    try await cache.removeSource(of: MarkedKey("4", user: "bob"))
    for key in source {
        try require(
            await cache.mark(of: key) == nil, "The \(noun) of \(key) was returned after everything from its source was removed.")
    }
    try await cache.removeAll()
    for mark in 0..<10 {
        try require(await cache.mark(of: MarkedKey("\(mark)")) == nil, "An \(noun) was returned after all were removed.")
    }
    try await cache.store(7, for: MarkedKey("3"))
    try require(await cache.mark(of: MarkedKey("3")) == 7, "A cache that was emptied does not store a new \(noun).")
}

/// Uses a cache from four tasks at once.
func checkTasks(of cache: some MarkedCache, rounds: Int) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<4 {
            group.addTask {
                for round in 0..<rounds {
                    let mark = (round * 7 + worker * 13) % 50
                    let key = MarkedKey("\(mark)")
                    if let found = try await cache.mark(of: key) {
                        try require(
                            found == mark, "With several tasks at once, the cache returned the \(cache.noun) of another key.")
                    } else {
                        try await cache.store(mark, for: key)
                    }
                    if round % 100 == 99 { try await cache.remove(key) }
                }
            }
        }
        try await group.waitForAll()
    }
}

// MARK: Random programs

/// A step of a random program.
private enum CacheStep: Sendable, CustomStringConvertible {
    case store(Int, MarkedKey)
    case read(MarkedKey)
    case remove(MarkedKey)
    case removeSource(MarkedKey)
    case removeAll

    init(_ random: inout SeededGenerator) {
        let key = MarkedKey(
            ["a", "b", "c"].randomElement(using: &random) ?? "a", [nil, "blur"].randomElement(using: &random) ?? nil,
            user: [nil, "ann"].randomElement(using: &random) ?? nil)
        switch Int.random(in: 0..<20, using: &random) {
        case 0: self = .removeAll
        case 1, 2: self = .removeSource(key)
        case 3, 4: self = .remove(key)
        case 5...11: self = .read(key)
        default: self = .store(Int.random(in: 0..<100, using: &random), key)
        }
    }

    var description: String {
        switch self {
        case .store(let mark, let key): "store \(mark) for \(key)"
        case .read(let key): "read \(key)"
        case .remove(let key): "remove \(key)"
        case .removeSource(let key): "remove the source of \(key)"
        case .removeAll: "remove all"
        }
    }
}

/// Runs random programs, and compares each read with a dictionary.
///
/// - Throws: A violation with the shortest program that was found to fail.
func checkPrograms(_ count: Int, of make: @Sendable () async throws -> any MarkedCache) async throws {
    for seed in 0..<UInt64(count) {
        var random = SeededGenerator(seed: seed)
        let steps = (0..<60).map { _ in CacheStep(&random) }
        guard try await difference(steps, make()) != nil else { continue }
        let shortest = try await shortened(steps) { try await difference($0, make()) != nil }
        let message = try await difference(shortest, make())
        let trace = shortest.map(\.description).joined(separator: ", ")
        throw RuleViolation(
            "After these steps, \(message ?? "the cache failed once, but not again"): \(trace) (program \(seed)).")
    }
}

/// The first difference between a cache and a dictionary; `nil` if there is none.
private func difference(_ steps: [CacheStep], _ cache: any MarkedCache) async throws -> String? {
    var model: [MarkedKey: Int] = [:]
    /// Entries that a cache without lists of its keys may have removed with others.
    var uncertain: Set<MarkedKey> = []
    for step in steps {
        switch step {
        case .store(let mark, let key):
            try await cache.store(mark, for: key)
            model[key] = mark
            uncertain.remove(key)
        case .read(let key):
            let found = try await cache.mark(of: key)
            if found == nil, uncertain.contains(key) { model[key] = nil }
            if found != model[key] {
                return
                    "\(key) was \(found.map { "\(cache.noun) \($0)" } ?? "a miss") instead of \(model[key].map { "\($0)" } ?? "a miss")"
            }
        case .remove(let key):
            try await cache.remove(key)
            model[key] = nil
        case .removeSource(let key):
            try await cache.removeSource(of: key)
            model = model.filter { $0.key.name != key.name }
            uncertain = Set(model.keys)
        case .removeAll:
            try await cache.removeAll()
            model = [:]
        }
    }
    return nil
}

/// Leaves steps out as long as the rest still fails.
func shortened<Step: Sendable>(_ steps: [Step], fails: ([Step]) async throws -> Bool) async rethrows -> [Step] {
    var steps = steps
    var count = steps.count / 2
    while count > 0 {
        var start = 0
        while start < steps.count {
            var fewer = steps
            fewer.removeSubrange(start..<min(start + count, steps.count))
            if try await fails(fewer) { steps = fewer } else { start += count }
        }
        count /= 2
    }
    return steps
}
