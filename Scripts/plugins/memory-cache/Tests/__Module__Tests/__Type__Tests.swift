import CalotypeTesting
import ImageCore
import Testing
import __Module__

@Suite(.timeLimit(.minutes(1))) struct __Type__Tests {
    @Test func itKeepsTheContractOfMemoryCaches() async throws {
        let (cache, image) = (__Type__(maximumBytes: 1_000_000), try TestImages.solid())
        let key = ImageKey(resource: ResourceKey("https://example.org/cat.jpg"), variant: ImageVariant(""))
        cache.store(image, for: key, priority: .normal)
        try #require(
            cache.image(for: key) == image,
            "__Type__ stores nothing yet: write store(_:for:priority:) and image(for:) first.")
        // The check needs room for more than a hundred images of 64 bytes, and for fewer than ten thousand.
        try await checkCachingConformance { __Type__(maximumBytes: 100_000) }
    }
}
