public import ImageCore

enum CachingRule: String, ConformanceRules {
    static let plugIn = "Caching"
    case storesImages = "An image that was stored is found, and replaces the last one of its key."
    case separatesKeys = "Images of another resource, user or processing are neither found nor replaced."
    case removesImages = "Removed images are not found: by key, by source for all users and processings, or all."
    case forgetsReplacedImages = "After an image was refused, the one that it should have replaced is not found."
    case peeks = "peekImage(for:) finds what image(for:) finds, counts no hit or miss, and changes no eviction."
    case listsVariants = "variants(of:) lists stored images of that resource only."
    case looksUpQuickly = "A lookup does not wait: it takes far less than a millisecond."
    case respectsPriority = "Images of high priority are evicted after all others."
    case respectsLimits = "The cache does not keep ten thousand images."
    case countsEntries = "The statistics count the entries that the cache has."
    case worksForSeveralTasks = "Four tasks at once get no image of another key."
    case followsPrograms = "In random programs the cache finds what a dictionary finds."
}

/// Checks a memory cache against the contract of `Caching`.
///
/// ``ConformanceRule/all`` lists the rules. A random program that fails is shortened, and its steps are in the message.
///
/// ```swift
/// // In a test, with a custom cache:
/// try await checkCachingConformance { MemoryCache(limits: .init(maximumBytes: 1_000_000)) }
/// ```
///
/// - Parameters:
///   - limit: The longest time that each rule may take. By default 20 seconds.
///   - make: Makes an empty cache with room for more than a hundred images of 64 bytes, and for fewer than ten
///     thousand. Called for each rule, and for each random program.
/// - Throws: ``ConformanceFailure`` with all violations.
public func checkCachingConformance(
    limit: Duration = .seconds(20), _ make: @escaping @Sendable () throws -> any Caching
) async throws {
    let rules = RuleChecker<CachingRule>(limit: limit)
    await rules.run(.storesImages) { try await checkStoring(in: MarkedImages(cache: make())) }
    await rules.run(.separatesKeys) { try await checkSeparation(in: MarkedImages(cache: make())) }
    await rules.run(.removesImages) { try await checkRemoval(in: MarkedImages(cache: make())) }
    await rules.run(.forgetsReplacedImages) { try checkRefusal(by: MarkedImages(cache: make())) }
    await rules.run(.listsVariants) { try checkVariants(of: MarkedImages(cache: make())) }
    await rules.run(.looksUpQuickly) { try checkSpeed(of: MarkedImages(cache: make())) }
    let room = EventLog<Int>()
    await rules.run(.respectsLimits) {
        let count = try measureRoom(of: MarkedImages(cache: make()))
        room.append(count)
        try require(count < 10_000, "The cache kept 10,000 images of 64 bytes.")
    }
    // Without a limit, nothing is evicted.
    let count = room.events.first.flatMap { $0 < 10_000 ? $0 : nil } ?? 0
    await rules.run(.peeks) { try checkPeeks(of: MarkedImages(cache: make()), MarkedImages(cache: make()), room: count) }
    await rules.run(.respectsPriority) { try checkPriority(in: MarkedImages(cache: make()), room: count) }
    await rules.run(.countsEntries) { try checkCounts(of: MarkedImages(cache: make())) }
    await rules.run(.worksForSeveralTasks) { try await checkTasks(of: MarkedImages(cache: make()), rounds: 2_000) }
    await rules.run(.followsPrograms) { try await checkPrograms(50) { MarkedImages(cache: try make()) } }
    try throwFailure(rules.violations)
}

private func checkRefusal(by images: MarkedImages) throws {
    try images.store(1, for: MarkedKey("a"))
    // More bytes than there is room for: the cache may refuse it.
    images.cache.store(
        try TestImages.solid(width: 2_000, height: 2_000, red: 2), for: images.key(MarkedKey("a")), priority: .normal)
    let found = images.mark(of: MarkedKey("a"))
    try require(
        found != 1,
        "An image was found after another one of 16,000,000 bytes, which the cache may refuse, was stored for its key.")
}

private func checkVariants(of images: MarkedImages) throws {
    let keys = [MarkedKey("a"), MarkedKey("a", "blur"), MarkedKey("a", "flip")]
    for (mark, key) in (keys + [MarkedKey("b"), MarkedKey("a", user: "ann")]).enumerated() { try images.store(mark, for: key) }
    let found = images.cache.variants(of: MarkedKey("a").resource)
    let expected = Set(keys.map { images.key($0) })
    for variant in found {
        try require(expected.contains(variant.key), "The variants of one resource contain \(variant.key).")
        try require(
            images.cache.image(for: variant.key) == variant.image,
            "The variants of a resource contain another image than its key.")
    }
    try require(Set(found.map(\.key)).count == found.count, "The variants of a resource contain a key twice.")
}

private func checkSpeed(of images: MarkedImages) throws {
    for mark in 0..<50 { try images.store(mark, for: MarkedKey("\(mark)")) }
    let keys = (0..<100).map { images.key(MarkedKey("\($0)")) }
    // The fastest of several rounds: the machine may be busy in the others.
    let fastest =
        (0..<5).map { _ in
            ContinuousClock().measure { for key in keys { _ = images.cache.image(for: key) } }
        }.min() ?? .zero
    try require(fastest < .milliseconds(20), "A lookup took \(fastest / keys.count).")
}

private func measureRoom(of images: MarkedImages) throws -> Int {
    for number in 0..<10_000 { try images.store(number % 100, for: MarkedKey("\(number)")) }
    return (0..<10_000).count { images.cache.image(for: images.key(MarkedKey("\($0)"))) != nil }
}

private func checkPeeks(of images: MarkedImages, _ others: MarkedImages, room: Int) throws {
    try images.store(1, for: MarkedKey("a"))
    func hitsAndMisses() -> [Int] { images.cache.cacheStatistics.flatMap { [$0.hits, $0.misses] } }
    let before = hitsAndMisses()
    let found = images.cache.peekImage(for: images.key(MarkedKey("a")))
    try require(found != nil, "peekImage(for:) did not find an image that was just stored.")
    try require(
        images.cache.peekImage(for: images.key(MarkedKey("b"))) == nil, "peekImage(for:) found an image that was never stored.")
    _ = images.cache.variants(of: MarkedKey("a").resource)
    try require(hitsAndMisses() == before, "peekImage(for:) or variants(of:) counted a hit or a miss.")
    images.removeAll()
    for number in 0..<room * 3 / 2 {
        for cache in [images, others] { try cache.store(number % 100, for: MarkedKey("\(number)")) }
        // The oldest images, which the cache is about to evict.
        for old in stride(from: 0, to: min(number, room), by: 5) {
            _ = images.cache.peekImage(for: images.key(MarkedKey("\(old)")))
            if number % 16 == 0 { _ = images.cache.variants(of: MarkedKey("\(old)").resource) }
        }
    }
    for number in 0..<room * 3 / 2 {
        let key = images.key(MarkedKey("\(number)"))
        try require(
            (images.cache.peekImage(for: key) == nil) == (others.cache.peekImage(for: key) == nil),
            "The cache evicted other images after peekImage(for:) and variants(of:) had looked some up.")
    }
}

private func checkPriority(in images: MarkedImages, room: Int) throws {
    // Odd marks have normal priority.
    let important = room / 4
    for number in 0..<important { try images.store(0, for: MarkedKey("important \(number)")) }
    for number in 0..<room * 2 { try images.store(1, for: MarkedKey("\(number)")) }
    let kept = (0..<important).count { images.mark(of: MarkedKey("important \($0)")) != nil }
    let others = (0..<room * 2).count { images.mark(of: MarkedKey("\($0)")) != nil }
    try require(
        kept == important || others == 0,
        "\(important - kept) of \(important) images of high priority were evicted, while \(others) of normal priority were kept.")
}

private func checkCounts(of images: MarkedImages) throws {
    let keys = (0..<20).map { MarkedKey("\($0)") }
    func compare(_ when: String) throws {
        // A cache may have no statistics.
        guard !images.cache.cacheStatistics.isEmpty else { return }
        let found = keys.count { images.cache.peekImage(for: images.key($0)) != nil }
        let count = images.cache.cacheStatistics.reduce(0) { $0 + $1.count }
        let bytes = images.cache.cacheStatistics.reduce(0) { $0 + $1.byteCount }
        try require(count == found, "\(when), the statistics count \(count) entries, but the cache has \(found).")
        try require(bytes >= found * 64, "\(when), the statistics count \(bytes) bytes for \(found) images of 64 bytes.")
        try require(found > 0 || bytes == 0, "\(when), the statistics count \(bytes) bytes, but the cache has no image.")
    }
    for round in 0..<3 {
        for (mark, key) in keys.enumerated() { try images.store((mark + round) % 100, for: key) }
        try compare("After images were stored and replaced")
        for key in keys.prefix(7) + [MarkedKey("never stored")] { images.remove(key) }
        try compare("After images were removed")
        images.removeSource(of: keys[9])
        try compare("After the images of a source were removed")
    }
    images.removeAll()
    try compare("After all images were removed")
}

/// Images of one pixel, whose red value is the mark.
private struct MarkedImages: MarkedCache {
    let cache: any Caching
    var noun: String { "image" }

    func mark(of key: MarkedKey) -> Int? {
        cache.image(for: self.key(key)).map { Int(TestImages.pixel(of: $0, x: 0, y: 0)[0]) }
    }
    func store(_ mark: Int, for key: MarkedKey) throws {
        let image = try TestImages.solid(width: 1, height: 1, red: UInt8(mark))
        cache.store(image, for: self.key(key), priority: mark % 2 == 0 ? .high : .normal)
    }
    func remove(_ key: MarkedKey) { cache.removeImage(for: self.key(key)) }
    func removeSource(of key: MarkedKey) { cache.removeImages(of: key.resource) }
    func removeAll() { cache.removeAll() }

    func key(_ key: MarkedKey) -> ImageKey { ImageKey(resource: key.resource, variant: ImageVariant(key.variant ?? "")) }
}
