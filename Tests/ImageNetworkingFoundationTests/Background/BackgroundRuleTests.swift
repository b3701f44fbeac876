import HTTPTypes
import ImageCore
import Testing

@testable import ImageNetworkingFoundation

@Suite struct BackgroundRules {
    private func request(_ change: (inout DataRequest) -> Void = { _ in }) throws -> DataRequest {
        var request = DataRequest(url: try #require(URL(string: "https://example.org/a.png")), purpose: .prefetch)
        request.headerFields[.accept] = "image/png"
        change(&request)
        return request
    }

    @Test func aPrefetchWithNeutralFieldsMayUseTheBackgroundSession() throws {
        let request = try request()
        let key = try #require(BackgroundRule.key(of: request))
        #expect(BackgroundRule.isKey(key) && !key.contains("example"))
        #expect(BackgroundRule.mayBegin(request) && BackgroundRule.mayBeAnswered(request))
    }

    @Test(arguments: ["Authorization", "Cookie", "X-Api-Key", "Range", "If-Range", "Host", "Proxy-Authorization"])
    func fieldsThatMayBeCredentialsOrRangesAreNotSentInTheBackground(_ name: String) throws {
        let name = try #require(HTTPField.Name(name))
        #expect(BackgroundRule.key(of: try request { $0.headerFields[name] = "1" }) == nil)
    }

    @Test func credentialsInTheURLBodiesAndOtherMethodsAreNotSentInTheBackground() throws {
        #expect(BackgroundRule.key(of: try request { $0.url = URL(string: "https://me:secret@example.org/")! }) == nil)
        #expect(BackgroundRule.key(of: try request { $0.body = Data([1]) }) == nil)
        #expect(BackgroundRule.key(of: try request { $0.method = .head }) == nil)
    }

    @Test func onlyPrefetchesThatMayUseTheCacheStartATransfer() throws {
        #expect(!BackgroundRule.mayBegin(try request { $0.purpose = .plain }))
        #expect(!BackgroundRule.mayBegin(try request { $0.purpose = .view }))
        #expect(!BackgroundRule.mayBegin(try request { $0.cachePolicy.remove(.writesDisk) }))
        #expect(!BackgroundRule.mayBegin(try request { $0.cachePolicy.insert(.onlyIfCached) }))
        let reload = try request { $0.cachePolicy = .reload }
        #expect(!BackgroundRule.mayBegin(reload) && !BackgroundRule.mayBeAnswered(reload))
    }

    @Test func theKeyContainsWhatChangesTheResponse() throws {
        let key = BackgroundRule.key(of: try request())
        #expect(BackgroundRule.key(of: try request { $0.purpose = .view }) == key)
        #expect(BackgroundRule.key(of: try request { $0.headerFields[.init("traceparent")!] = "00-1" }) == key)
        #expect(BackgroundRule.key(of: try request { $0.headerFields[.accept] = "image/webp" }) != key)
        #expect(BackgroundRule.key(of: try request { $0.headerFields[.ifNoneMatch] = "\"1\"" }) != key)
        #expect(BackgroundRule.key(of: try request { $0.url.append(queryItems: [.init(name: "a", value: "b")]) }) != key)
        let one = try request { $0.headerFields = [.acceptLanguage: "de", .referer: "x"] }
        let other = try request { $0.headerFields = [.referer: "x", .acceptLanguage: "de"] }
        #expect(BackgroundRule.key(of: one) == BackgroundRule.key(of: other))
    }
}
