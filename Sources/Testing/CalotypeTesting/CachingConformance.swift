public import ImageCore

/// Checks a memory cache against the contract of `Caching`.
///
/// It stores, reads, replaces and removes images under several keys and variants, empties the cache, and uses it from
/// four tasks at once. It does not check `peekImage(for:)`, `variants(of:)`, priorities, limits or counted bytes.
///
/// ```swift
/// // In a test, with a custom cache:
/// try await checkCachingConformance { MemoryCache(limits: .init(maximumBytes: 1_000_000)) }
/// ```
///
/// - Parameter make: Makes an empty cache with room for a hundred images of 64 bytes. Called three times.
/// - Throws: ``ConformanceFailure`` for the first violation, or the error of `make`.
public func checkCachingConformance(_ make: @Sendable () throws -> any Caching) async throws {
    try checkEntries(of: make())
    try checkRemoval(in: make())
    try await checkThreads(of: make())
}

private func checkEntries(of cache: any Caching) throws {
    let key = sampleKey("a")
    try ConformanceFailure.require(cache.image(for: key) == nil, "An empty cache returned an image.")
    cache.store(try sample(1), for: key, priority: .normal)
    try ConformanceFailure.require(mark(cache.image(for: key)) == 1, "An image that was just stored could not be read.")
    try ConformanceFailure.require(
        cache.image(for: sampleKey("a", variant: "blur")) == nil, "An image was returned for another variant of its resource.")
    cache.store(try sample(2), for: key, priority: .high)
    try ConformanceFailure.require(
        mark(cache.image(for: key)) == 2, "Storing a second image for a key did not replace the first.")
    cache.store(try sample(3), for: sampleKey("a", variant: "blur"), priority: .normal)
    try ConformanceFailure.require(mark(cache.image(for: key)) == 2, "Storing a variant replaced another variant.")
}

private func checkRemoval(in cache: any Caching) throws {
    for i in 0..<10 { cache.store(try sample(UInt8(i)), for: sampleKey("\(i)"), priority: i < 5 ? .high : .normal) }
    cache.removeImage(for: sampleKey("3"))
    cache.removeImage(for: sampleKey("never stored"))
    try ConformanceFailure.require(cache.image(for: sampleKey("3")) == nil, "A removed image was returned.")
    try ConformanceFailure.require(mark(cache.image(for: sampleKey("4"))) == 4, "Removing one image removed another.")
    cache.store(try sample(9), for: sampleKey("4", variant: "blur"), priority: .normal)
    cache.removeImages(of: sampleKey("4").resource)
    try ConformanceFailure.require(
        cache.image(for: sampleKey("4")) == nil && cache.image(for: sampleKey("4", variant: "blur")) == nil,
        "An image was returned after all images of its source were removed.")
    cache.removeAll()
    for i in 0..<10 {
        try ConformanceFailure.require(
            cache.image(for: sampleKey("\(i)")) == nil, "An image was returned after all were removed.")
    }
    cache.store(try sample(7), for: sampleKey("3"), priority: .normal)
    try ConformanceFailure.require(
        mark(cache.image(for: sampleKey("3"))) == 7, "A cache that was emptied does not store new images.")
}

private func checkThreads(of cache: any Caching) async throws {
    let samples = try (0..<50).map { try sample(UInt8($0)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<4 {
            group.addTask {
                for i in 0..<2_000 {
                    let n = (i * 7 + worker * 13) % samples.count
                    if let found = mark(cache.image(for: sampleKey("\(n)"))) {
                        try ConformanceFailure.require(
                            found == n, "With several threads at once, the cache returned the image of another key.")
                    } else {
                        cache.store(samples[n], for: sampleKey("\(n)"), priority: .normal)
                    }
                    if i % 100 == 99 { cache.removeImage(for: sampleKey("\(n)")) }
                }
            }
        }
        try await group.waitForAll()
    }
}

private func sampleKey(_ name: String, variant: String = "") -> ImageKey {
    ImageKey(resource: ResourceKey("https://example.org/\(name)"), variant: ImageVariant(variant))
}

private func sample(_ mark: UInt8) throws -> DecodedImage { try TestImages.solid(width: 1, height: 1, red: mark) }

private func mark(_ image: DecodedImage?) -> UInt8? { image.map { TestImages.pixel(of: $0, x: 0, y: 0)[0] } }
