import ImageCaching
import ImageCore
import Testing

/// Evicted images that are still in use, for example because a view shows them.
@Suite final class LiveImages: Sendable {
    private let seconds = Lock(0.0)

    /// A cache with room for one image, in which another image has replaced `image`.
    private func cache(evicting image: DecodedImage, timeToLive: Duration? = nil) throws -> MemoryCache {
        let cache = MemoryCache(
            limits: .init(maximumBytes: testImageCost, timeToLive: timeToLive), respondsToPressure: false,
            now: { [unowned self] in seconds.withLock { $0 } })
        cache.store(image, for: imageKey("a"))
        cache.store(try testImage(tag: 2), for: imageKey("b"))
        return cache
    }

    @Test func anEvictedImageThatIsStillInUseIsAHit() throws {
        let image = try testImage(tag: 1)
        let cache = try cache(evicting: image)
        #expect(cache.peekImage(for: imageKey("a")) == image)
        #expect(cache.image(for: imageKey("a")) == image)
        #expect(cache.statistics.hits == 1 && cache.statistics.misses == 0)
        // It is in the cache again, within the limits, and the other image, which is not in use, is gone.
        #expect(cache.statistics.count == 1 && cache.statistics.byteCount == testImageCost)
        #expect(cache.image(for: imageKey("b")) == nil)
    }

    @Test func anEvictedImageKeepsWhatIsKnownOfIt() throws {
        enum Caption: ImageValueKey { typealias Value = String }
        var image = try testImage(tag: 1)
        image.values[Caption.self] = "a cat"
        (image.details.freshUntil, image.details.decodedAt) = (1, 2)
        image.details.original = OriginalResponse(url: URL(string: "https://example.org/cat.jpg"))
        let found = try #require(try cache(evicting: image).image(for: imageKey("a")))
        #expect(found.values[Caption.self] == "a cat" && found.details.freshUntil == 1 && found.details.decodedAt == 2)
        #expect(found.details.original == image.details.original && found.details.original != nil)
    }

    @Test func anEvictedImageThatIsNoLongerInUseIsGone() throws {
        let cache = try cache(evicting: testImage(tag: 1))
        #expect(cache.image(for: imageKey("a")) == nil && cache.peekImage(for: imageKey("a")) == nil)
        #expect(cache.statistics.misses == 1)
    }

    @Test func aTrimmedImageThatIsStillInUseIsAHit() throws {
        let image = try testImage(tag: 1)
        let cache = MemoryCache(respondsToPressure: false)
        cache.store(image, for: imageKey("a"))
        cache.trim(toBytes: 0)
        #expect(cache.statistics.byteCount == 0)
        #expect(cache.image(for: imageKey("a")) == image)
    }

    @Test(arguments: ["one", "source", "all", "replaced"]) func aRemovedImageDoesNotComeBack(kind: String) throws {
        let image = try testImage(tag: 1)
        let cache = try cache(evicting: image)
        switch kind {
        case "one": cache.removeImage(for: imageKey("a"))
        case "source": cache.removeImages(of: ResourceKey("a"))
        case "replaced":
            cache.store(try testImage(tag: 3), for: imageKey("a"))
            cache.store(try testImage(tag: 4), for: imageKey("b"))
        default: cache.removeAll()
        }
        #expect(cache.image(for: imageKey("a")) == nil && cache.peekImage(for: imageKey("a")) == nil)
    }

    @Test func aRefusedImageLeavesNoOlderOne() throws {
        let image = try testImage(tag: 1)
        let cache = try cache(evicting: image)
        cache.store(try testImage(rows: 100, tag: 3), for: imageKey("a"))
        #expect(cache.image(for: imageKey("a")) == nil)
    }

    @Test func anEvictedImageExpiresWhenItWouldHaveInTheCache() throws {
        let image = try testImage(tag: 1)
        let cache = try cache(evicting: image, timeToLive: .seconds(10))
        seconds.withLock { $0 = 9 }
        #expect(cache.peekImage(for: imageKey("a")) == image)
        seconds.withLock { $0 = 10 }
        #expect(cache.image(for: imageKey("a")) == nil)
        #expect(cache.statistics.misses == 1)
    }

    @Test func anImageThatExpiredInTheCacheDoesNotComeBack() throws {
        let image = try testImage(tag: 1)
        let cache = MemoryCache(
            limits: .init(timeToLive: .seconds(10)), respondsToPressure: false, now: { [unowned self] in seconds.withLock { $0 } }
        )
        cache.store(image, for: imageKey("a"))
        seconds.withLock { $0 = 10 }
        #expect(cache.image(for: imageKey("a")) == nil)
        #expect(cache.image(for: imageKey("a")) == nil)
    }

    /// An image comes back with its animation, its format and its priority.
    @Test func anImageComesBackAsItWas() throws {
        var image = try testImage(tag: 1)
        image.format = .png
        let cache = try cache(evicting: image)
        #expect(cache.image(for: imageKey("a"))?.format == .png)
    }

    @Test func aCacheWithoutRoomKeepsNothing() throws {
        let image = try testImage(tag: 1)
        let cache = MemoryCache(limits: .init(maximumBytes: 0), respondsToPressure: false)
        cache.store(image, for: imageKey("a"))
        #expect(cache.image(for: imageKey("a")) == nil)
    }
}
