import CalotypeTesting
import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// Responses that arrive in another order than they were made, and resources that change during an exchange (FEATURES
/// 5.5).
@Suite("CachedLoader, newest response", .timeLimit(.minutes(1))) struct NewestResponseTests {
    private static let url = Wire.url.absoluteString

    struct Order: Sendable, CustomTestStringConvertible {
        var rule: String
        var stored: [String]
        var arriving: [String]
        var isNewer: Bool
        var testDescription: String { rule }
    }

    @Test(arguments: [
        Order(rule: "RFC 9111 §4 a later Date is newer", stored: ["Date: {10}"], arriving: ["Date: {0}"], isNewer: true),
        Order(rule: "RFC 9111 §4 the same Date", stored: ["Date: {10}"], arriving: ["Date: {10}"], isNewer: false),
        Order(rule: "RFC 9111 §4 an earlier Date", stored: ["Date: {0}"], arriving: ["Date: {10}"], isNewer: false),
        Order(rule: "RFC 9111 §4 no Date to compare", stored: ["Date: {10}"], arriving: ["-Date"], isNewer: false),
        Order(rule: "RFC 9111 §4 no Date stored", stored: ["-Date"], arriving: ["Date: {0}"], isNewer: false),
        Order(rule: "RFC 9110 §6.6.1 a clock that is ahead", stored: ["Date: {9000}"], arriving: ["Date: {0}"], isNewer: false),
    ])
    func aStoredResponseIsNewerByDate(_ row: Order) {
        let stored = Wire.stored(row.stored)
        #expect(stored.isNewer(than: Wire.stored(row.arriving)) == row.isNewer)
    }

    /// Sends two requests of which the first is answered last.
    private func overlapping(_ first: CacheBench.Answer, _ second: CacheBench.Answer) async throws -> Seen {
        let bench = CacheBench()
        let held = Gate()
        let cache = bench.cache
        bench.add(first)
        let loader = CachedLoader(HeldResponses(gate: held, next: bench.makeLoader().loader), cache: cache)
        async let late = loader.see()
        await held.waitForArrivals(1)
        bench.add(second)
        #expect(
            try await CachedLoader(bench.makeLoader().loader, cache: cache).see(["Cache-Control: max-age=0"]).tier == .network)
        held.open()
        _ = try await late
        return try await loader.see()
    }

    @Test("RFC 9111 §4 a response that is older by Date and arrives later does not replace the newer one")
    func anOlderResponseThatArrivesLaterIsNotStored() async throws {
        let fresh = "Cache-Control: max-age=600"
        #expect(
            try await overlapping(.init(200, [fresh, "Date: {-10}"], "old"), .init(200, [fresh, "Date: {0}"], "new"))
                == Seen(200, "new", .disk))
        #expect(
            try await overlapping(.init(200, [fresh, "Date: {0}"], "new"), .init(200, [fresh, "Date: {-10}"], "old"))
                == Seen(200, "new", .disk))
        let varying = [fresh, "Vary: Foo"]
        #expect(
            try await overlapping(.init(200, varying + ["Date: {-10}"], "old"), .init(200, varying + ["Date: {0}"], "new"))
                == Seen(200, "new", .disk))
    }

    @Test("RFC 9111 §4 an older response to a later request does not replace a fresh one; a reload replaces it")
    func anOlderResponseReplacesAFreshOneOnlyByAReload() async throws {
        let fresh = "Cache-Control: max-age=600"
        let bench = CacheBench(
            .init(200, [fresh, "Date: {0}"], "new"), .init(200, [fresh, "Date: {-10}"], "old"),
            .init(200, [fresh, "Date: {-10}"], "old"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        #expect(try await loader.see(["Cache-Control: max-age=0"]) == Seen(200, "old", .network))
        #expect(try await loader.see() == Seen(200, "new", .disk))
        var reload = Wire.request()
        reload.cachePolicy = .reload
        _ = try await loader.load(reload).text
        #expect(try await loader.see() == Seen(200, "old", .disk))
    }

    @Test("RFC 9111 §4 an older response replaces a stale one")
    func anOlderResponseReplacesAStaleOne() async throws {
        let bench = CacheBench(
            .init(200, ["Cache-Control: max-age=60"], "new"), .init(200, ["Cache-Control: max-age=600", "Date: {-10}"], "old"))
        let loader = bench.makeLoader()
        _ = try await loader.see()
        bench.advance(61)
        _ = try await loader.see()
        #expect(try await loader.see() == Seen(200, "old", .disk))
    }

    @Test("RFC 9111 §4.4 a GET under way during an unsafe request stores nothing", arguments: ["PUT", "POST", "DELETE"])
    func aGetUnderWayDuringAnUnsafeRequestStoresNothing(_ method: String) async throws {
        let fresh = ["Cache-Control: max-age=600"]
        let bench = CacheBench(.init(200, fresh, "old"))
        let held = Gate()
        let cache = bench.cache
        let loader = CachedLoader(HeldResponses(gate: held, next: bench.makeLoader().loader), cache: cache)
        async let late = loader.see()
        await held.waitForArrivals(1)
        bench.add(.init(204, [], ""))
        _ = try await CachedLoader(bench.makeLoader().loader, cache: cache).see(method: method, body: Data([1]))
        held.open()
        #expect(try await late == Seen(200, "old", .network))
        #expect(bench.store.keys.isEmpty)
        bench.add(.init(200, fresh, "new"))
        #expect(try await loader.see() == Seen(200, "new", .network))
        #expect(try await loader.see() == Seen(200, "new", .disk))
    }

    @Test("RFC 9111 §4.4 a response whose store runs during an unsafe request is removed again")
    func aStoreUnderWayDuringAnUnsafeRequestLeavesNothing() async throws {
        let store = LoggedDataCache(storeGate: Gate())
        let bench = CacheBench(.init(200, ["Cache-Control: max-age=600"], "old"), .init(204, [], ""), store: store)
        let loader = bench.makeLoader()
        async let late = loader.see()
        await store.storeGate.waitForArrivals(1)
        _ = try await loader.see(method: "PUT", body: Data([1]))
        store.storeGate.open()
        #expect(try await late == Seen(200, "old", .network))
        #expect(store.keys.isEmpty)
    }

    @Test func exchangesThatHaveEndedLeaveNothingBehind() async throws {
        let exchanges = OpenExchanges()
        let key = DataKey(resource: ImageRequest(url: Wire.url).resource)
        var ticket: ExchangeTicket? = exchanges.begin(for: key.resource, primaryKey: key)
        let other = exchanges.begin(for: key.resource, primaryKey: key)
        ticket?.willStore(Wire.stored(["Date: {10}"]))
        #expect(other.isOutdated(Wire.stored(["Date: {0}"])))
        ticket = nil
        #expect(other.isOutdated(Wire.stored(["Date: {0}"])), "One is still under way.")
        exchanges.hasChanged(key.resource)
        #expect(other.isOutdated(Wire.stored(["Date: {20}"])))
        #expect(!exchanges.begin(for: key.resource, primaryKey: key).isOutdated(Wire.stored(["Date: {20}"])))
    }
}
