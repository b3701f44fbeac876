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
    try await checkEntries(of: MarkedImages(cache: make()))
    try await checkRemoval(in: MarkedImages(cache: make()))
    try await checkTasks(of: MarkedImages(cache: make()), rounds: 2_000)
}

/// Images of one pixel, whose red value is the mark.
private struct MarkedImages: MarkedCache {
    let cache: any Caching
    var noun: String { "image" }

    func mark(_ name: String, _ variant: String?) -> Int? {
        cache.image(for: key(name, variant)).map { Int(TestImages.pixel(of: $0, x: 0, y: 0)[0]) }
    }
    func store(_ mark: Int, _ name: String, _ variant: String?) throws {
        let image = try TestImages.solid(width: 1, height: 1, red: UInt8(mark))
        cache.store(image, for: key(name, variant), priority: mark % 2 == 0 ? .high : .normal)
    }
    func remove(_ name: String) { cache.removeImage(for: key(name, nil)) }
    func removeSource(_ name: String) { cache.removeImages(of: key(name, nil).resource) }
    func removeAll() { cache.removeAll() }

    private func key(_ name: String, _ variant: String?) -> ImageKey {
        ImageKey(resource: ResourceKey("https://example.org/\(name)"), variant: ImageVariant(variant ?? ""))
    }
}
