import CalotypeTesting
import HTTPTypes
import Testing

@testable import Calotype

/// A source policy keeps the response cache of a loader from serving, and from nothing else.
@Suite(.timeLimit(.minutes(1))) struct ResponsesUnderASourcePolicy {
    private let allowed = URL(string: "https://example.org/a")!
    private let forbidden = URL(string: "http://127.0.0.1/b")!
    private let head = HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"])
    private let disk = LoggedDataCache()

    private func makeCache() throws -> any ResponseCaching {
        var configuration = StandardConfiguration()
        configuration.dataCache = disk
        configuration.sourcePolicy = .publicWeb
        return try #require(configuration.makeConfiguration().responseCache)
    }

    private func isHit(_ lookup: ResponseLookup) -> Bool { if case .hit = lookup { true } else { false } }

    @Test func aResponseOfAForbiddenURLIsNotServedButStoredAndRemoved() async throws {
        let cache = try makeCache()
        let now = Date().timeIntervalSince1970
        for url in [allowed, forbidden] {
            let request = DataRequest(url: url)
            try await cache.store(DataEntry(data: Data([1]), head: head, storedAt: now), for: request)
            #expect(disk.keys.count == 1)
            #expect(isHit(try await cache.lookUp(request)) == (url == allowed))
            try await cache.removeResponse(for: request)
            #expect(disk.keys.isEmpty)
            try await cache.store(DataEntry(data: Data([1]), head: head, storedAt: now), for: request)
            try await cache.removeResponses(of: ImageRequest(url: url).resource)
            #expect(disk.keys.isEmpty)
        }
    }

    @Test func aFinishedImageOfAForbiddenURLIsNotServed() async throws {
        let rules = try #require(makeCache().processedImageRules)
        let now = Date().timeIntervalSince1970
        for url in [allowed, forbidden] {
            let source = ResponseHead(url: url, head: head, receivedAt: now)
            let image = try #require(
                rules.entry(for: DataEntry(data: Data([1]), storedAt: now), madeFrom: source, to: DataRequest(url: url)))
            #expect(rules.use(of: image, for: DataRequest(url: url)) == (url == allowed ? .serve : .none))
        }
    }
}
