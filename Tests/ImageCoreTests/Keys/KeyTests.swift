import HTTPTypes
import ImageCore
import Testing

@Suite struct Keys {
    private func key(_ text: String) -> ResourceKey { ImageRequest(url: URL(string: text)!).resource }

    @Test func theCaseOfTheSchemeAndTheFragmentAreNotPartOfAKey() {
        #expect(key("HTTP://example.org/a#top") == key("http://example.org/a"))
        #expect(key("http://example.org/a?x=1") != key("http://example.org/a?x=2"))
    }

    @Test func encodingsOfUnreservedCharactersAreNotPartOfAKey() {
        // RFC 3986, section 6.2.2.
        #expect(key("http://example.org/%7Eann/%61%2Db") == key("http://example.org/~ann/a-b"))
        #expect(key("http://example.org/a%2fb") == key("http://example.org/a%2Fb"))
        #expect(key("http://example.org/a%2Fb") != key("http://example.org/a/b"))
        #expect(key("http://example.org/a?x=%26") != key("http://example.org/a?x=&"))
        #expect(key("http://example.org/%257E") != key("http://example.org/%7E"))
    }

    @Test func aPasswordChangesTheKeyAndDoesNotAppearInIt() {
        let one = key("http://user:one@example.org/a")
        #expect(one != key("http://user:two@example.org/a") && one != key("http://example.org/a"))
        #expect(!one.text.contains("one") && !one.text.contains("user"))
        #expect(one == key("http://user:one@example.org/a#top"))
    }

    @Test func partsOfARequestAppearInAKeyOnlyAsADigest() {
        let base = ResourceKey("http://example.org/a")
        #expect(base.varied(by: []) == base)
        #expect(base.varied(by: ["ab", "c"]) != base.varied(by: ["a", "bc"]))
        #expect(!base.varied(by: ["Authorization: secret"]).text.contains("secret"))
    }

    @Test func originalAndProcessedBytesHaveDifferentDigestsWithoutTheURL() {
        let resource = ResourceKey("http://example.org/a")
        let names = [
            DataKey(resource: resource), DataKey(resource: resource, variant: ""), DataKey(resource: resource, variant: "x"),
        ]
        .map(\.digest)
        #expect(Set(names).count == 3)
        #expect(names.allSatisfy { $0.count == 64 && $0.allSatisfy(\.isHexDigit) && !$0.contains("example") })
    }

    /// FEATURES 1.14.
    @Test func keysOfOneSourceAreKnownWhateverVariesThem() {
        let url = key("http://example.org/a?x=1")
        let same = [
            url, url.varied(by: ["Authorization: secret"]), url.varied(by: ["a"]).varied(by: ["b"]),
            ResourceKey(url.text + "\naccept:image/png"), key("http://user:one@example.org/a?x=1"),
        ]
        for key in same { #expect(url.hasSameSource(as: key) && key.hasSameSource(as: url), "\(key)") }
        let hex = String(repeating: "a", count: 63)
        let others = [
            key("http://example.org/a"), key("http://example.org/a?x=12"), ResourceKey("bytes:a#1"),
            ResourceKey(url.text + "#" + hex), ResourceKey(url.text + "#" + hex + "g"),
        ]
        for key in others { #expect(!url.hasSameSource(as: key), "\(key)") }
        #expect(!ResourceKey("bytes:a#1").hasSameSource(as: ResourceKey("bytes:a#2")))
    }

    /// FEATURES 1.14: a remote store that does not know the keys can remove them together.
    @Test func digestsOfOneSourceHaveOnePrefix() {
        let resource = ResourceKey("http://example.org/a")
        let prefix = DataKey.digestPrefix(of: resource)
        #expect(prefix.count == 16 && prefix.allSatisfy(\.isHexDigit))
        for key in [DataKey(resource: resource), DataKey(resource: resource.varied(by: ["x"]), variant: "http")] {
            #expect(key.digest.hasPrefix(prefix))
        }
        #expect(!DataKey(resource: ResourceKey("http://example.org/b")).digest.hasPrefix(prefix))
    }

    @Test func differentTextsAreDifferentKeys() {
        var keys: Set<ResourceKey> = []
        var count = 0
        for length in 0..<40 {
            let text = [UInt8](repeating: UInt8(ascii: "a"), count: length)
            // One changed byte, no changed byte, and an additional zero.
            let variants = text.indices.map { place in
                var other = text
                other[place] = UInt8(ascii: "b")
                return other
            }
            for bytes in variants + [text, Array(text + [0])] {
                keys.insert(ResourceKey(String(decoding: bytes, as: UTF8.self)))
                count += 1
            }
        }
        #expect(keys.count == count)
    }

    @Test func resourceAndVariantAreSeparateInAKey() {
        let keys = [("ab", "c"), ("a", "bc"), ("abc", ""), ("", "abc"), ("ab", "")].map {
            ImageKey(resource: ResourceKey($0), variant: ImageVariant($1))
        }
        #expect(Set(keys).count == 5)
        #expect(ImageKey(resource: ResourceKey("ab"), variant: ImageVariant("c")) == keys[0])
    }

    @Test func redactedSourcesHaveNoCredentials() {
        for url in [
            "http://user:secret@example.org/a", "http://secret@example.org/a", "http://example.org/a#token=secret",
            "http://user:secret@example.org/a#secret",
        ] { #expect(ImageSource.redacted(URL(string: url)!) == "http://example.org/a") }
        let signed = ImageSource.url(URL(string: "http://user:secret@example.org/a?w=320&signature=secret#secret")!)
        #expect("\(signed)" == "http://example.org/a?w=...&signature=...")
        let data = "data:image/png;base64," + String(repeating: "A", count: 100)
        #expect(ImageSource.redacted(URL(string: data)!).count == 40)
    }

    @Test func sourcesOnThisMachineAreLocal() {
        #expect(ImageSource.url(URL(string: "FILE:///a")!).isLocal && ImageSource.url(URL(string: "data:,a")!).isLocal)
        #expect(ImageSource.bytes(Data(), id: "a").isLocal && !ImageSource.url(URL(string: "http://a/")!).isLocal)
    }
}

@Suite struct Hashing {
    /// The examples of FIPS 180-4 and FIPS 180-2.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
    func digestsMatchThePublishedExamples(text: String, digest: String) {
        #expect(SHA256.hexDigest(of: text.utf8) == digest)
    }
}
