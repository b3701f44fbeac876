import ImageCore
import Testing

/// What a cache key makes of the identity of a request (FEATURES 1.15).
@Suite struct CacheKeys {
    private func request(_ text: String = "https://example.org/cat.jpg?token=1", key: String?) -> ImageRequest {
        ImageRequest(.url(URL(string: text)!, cacheKey: key))
    }

    @Test func urlsWithOneKeyAreOneRequest() {
        let (one, other) = (request(key: "cat"), request("http://cdn.example.org/?token=2", key: "cat"))
        #expect(one == other && one.hashValue == other.hashValue)
        #expect(one != request(key: "dog") && one != request(key: nil))
        #expect(one.source.url != other.source.url)
    }

    @Test func aKeyCanBeSetAndRemoved() {
        var changed = request(key: nil)
        changed.cacheKey = "cat"
        #expect(changed == request(key: "cat") && changed.cacheKey == "cat")
        changed.method = .post
        #expect(changed != request(key: "cat"))
        changed.cacheKey = "dog"
        #expect(changed.method == .post && changed != request(key: "dog"))
        changed.method = .get
        #expect(changed == request(key: "dog"))
        changed.cacheKey = nil
        #expect(changed == request(key: nil))
    }

    @Test func anEmptyKeyIsNone() {
        #expect(request(key: "") == request(key: nil) && request(key: "").cacheKey == nil)
        #expect(request("https://example.org/a", key: "") != request("https://example.org/b", key: ""))
    }

    @Test func aKeyEqualsNoURLAndNoOtherSource() {
        let resource = request(key: "https://example.org/cat.jpg").resource
        let digest = String(resource.text.dropFirst(4))
        for text in ["https://example.org/cat.jpg", "key:" + digest, "key%20" + digest, digest] {
            #expect(request(text, key: nil).resource != resource)
        }
        #expect(ImageRequest(.bytes(Data(), id: "https://example.org/cat.jpg")).resource != resource)
        var bytes = ImageRequest(.bytes(Data(), id: "a"))
        bytes.cacheKey = "cat"
        #expect(bytes.cacheKey == nil && bytes.source.url == nil)
    }

    @Test func aKeyIsASourceOfItsOwnWhateverItContains() {
        let digest = String(repeating: "a", count: 64)
        let keys = ["a", "a\nb", "a#" + digest, "a#" + digest + "#" + digest, String(repeating: "a", count: 1_000_000), "\u{E9}"]
        for (index, key) in keys.enumerated() {
            let resource = request(key: key).resource
            #expect(resource.text.utf8.count < 100)
            for other in keys[..<index] { #expect(!resource.hasSameSource(as: request(key: other).resource)) }
            #expect(resource.hasSameSource(as: resource.varied(by: ["Authorization: ann"])))
        }
    }

    @Test func userAndPasswordOfTheURLStillCount() {
        let ann = request("https://ann:secret@example.org/a?1", key: "cat")
        #expect(ann == request("https://ann:secret@example.org/a?2", key: "cat"))
        #expect(ann != request("https://bob:secret@example.org/a?1", key: "cat") && ann != request(key: "cat"))
        #expect(ann.resource.hasSameSource(as: request(key: "cat").resource))
        #expect(!ann.resource.text.contains("secret"))
    }

    @Test func noDescriptionNamesTheKey() {
        let request = request(key: "cat")
        #expect(request.description == "https://example.org/cat.jpg?token=...")
        #expect(!request.resource.text.contains("cat"))
    }
}
