import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// Background revalidations of responses within `stale-while-revalidate` (FEATURES 5.4, 5.7).
@Suite("CachedLoader, background revalidation") struct RevalidationTests {
    private static let window = ["Cache-Control: max-age=60, stale-while-revalidate=600"]
    private static let tagged = window + ["ETag: \"a\""]

    /// A cache with stale responses of this many URLs.
    private static func staleResponses(_ count: Int) async throws -> (CacheBench, [URL]) {
        let bench = CacheBench()
        let loader = bench.makeLoader()
        let urls = (0..<count).map { URL(string: "https://example.org/\($0)")! }
        for url in urls {
            bench.add(.init(200, tagged))
            _ = try await loader.see(to: url)
        }
        bench.advance(61)
        return (bench, urls)
    }

    @Test("RFC 5861 §3 a few at a time, the others wait, and none is dropped")
    func everyStaleResponseIsRevalidatedAFewAtATime() async throws {
        let (bench, urls) = try await Self.staleResponses(30)
        let gate = Gate()
        let network = ScriptedLoader(gate: gate) { _ in .response(Wire.head(Self.tagged, status: 304), chunks: []) }
        let slow = CachedLoader(network, cache: bench.cache)
        for _ in 0..<3 {
            for url in urls { #expect(try await slow.see(to: url) == Seen(.disk)) }
        }
        await gate.waitForArrivals(RevalidationQueue.limit)
        for count in RevalidationQueue.limit..<urls.count {
            #expect(gate.held == RevalidationQueue.limit)
            gate.letOneThrough()
            await gate.waitForArrivals(count + 1)
        }
        gate.open()
        await slow.waitForRevalidations()
        #expect(Set(network.requests.map(\.url)) == Set(urls) && network.requests.count == urls.count)
    }

    @Test("RFC 5861 §3 a response without validators is refreshed by a full fetch")
    func aResponseWithoutValidatorsIsFetched() async throws {
        let bench = CacheBench(.init(200, Self.window), .init(200, Self.window, "new"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        #expect(try await loader.see() == Seen(.disk))
        await loader.waitForRevalidations()
        #expect(bench.requestCount == 2)
        #expect(try await loader.see() == Seen(200, "new", .disk))
        #expect(bench.requestCount == 2)
    }

    @Test("RFC 9111 §4.3.2 the full fetch in the background has no preconditions of the caller")
    func theFullFetchHasNoPreconditions() async throws {
        let bench = CacheBench(.init(200, Self.window), .init(200, Self.window, "new"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        #expect(try await loader.see(["If-None-Match: \"x\""]) == Seen(.disk))
        await loader.waitForRevalidations()
        #expect(bench.requestCount == 2 && bench.requests[1].headerFields[.ifNoneMatch] == nil)
        #expect(try await loader.see() == Seen(200, "new", .disk))
    }

    @Test func aResponseThatWasRefreshedInTheMeantimeIsNotRevalidated() async throws {
        let (bench, urls) = try await Self.staleResponses(RevalidationQueue.limit + 1)
        let gate = Gate()
        let network = ScriptedLoader(gate: gate) { _ in .response(Wire.head(Self.tagged, status: 304), chunks: []) }
        let slow = CachedLoader(network, cache: bench.cache)
        for url in urls { #expect(try await slow.see(to: url) == Seen(.disk)) }
        await gate.waitForArrivals(RevalidationQueue.limit)
        // The last one still waits, and a load with another directive refreshes its response.
        bench.add(.init(304, Self.tagged, ""))
        #expect(try await bench.makeLoader().see(["Cache-Control: max-age=0"], to: urls[urls.count - 1]) == Seen(.disk))
        gate.open()
        await slow.waitForRevalidations()
        #expect(network.requests.count == RevalidationQueue.limit)
    }

    @Test func aLoaderThatDoesNotRevalidateInTheBackgroundValidatesFirst() async throws {
        let bench = CacheBench(.init(200, Self.tagged), .init(200, Self.tagged, "new"))
        let loader = CachedLoader(bench.makeLoader().loader, cache: bench.cache, revalidatesInBackground: false)
        _ = try await loader.see()
        bench.advance(61)
        #expect(try await loader.see() == Seen(200, "new", .network))
        #expect(bench.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, "\"a\""])
    }

    @Test func aDeadlineOfTheLoadDoesNotEndTheRevalidation() async throws {
        let bench = CacheBench(.init(200, Self.tagged), .init(304, Self.tagged, ""))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        var request = Wire.request()
        request.deadline = Deadline(after: .seconds(1), clock: ManualClock())
        _ = try await loader.load(request).text
        await loader.waitForRevalidations()
        #expect(bench.requests.last?.deadline == nil && bench.requestCount == 2)
    }
}
