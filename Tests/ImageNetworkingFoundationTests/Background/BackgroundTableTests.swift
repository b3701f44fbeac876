import HTTPTypes
import ImageCore
import Testing

@testable import ImageNetworkingFoundation

@Suite struct BackgroundTableRules {
    private func running(received: Int = 0, waiter: Int = 1) -> BackgroundTable {
        var table = BackgroundTable()
        _ = table.begin("a", number: 7, waiter: waiter, limit: 100)
        _ = table.received(received, announced: nil, "a", number: 7)
        return table
    }

    @Test func aSecondStartJoinsTheFirst() {
        var table = running()
        let isFirst = table.begin("a", number: 8, waiter: 2, limit: 200)
        #expect(!isFirst)
        #expect(table.running["a"] == .init(number: 7, limit: 200, waiters: [1: 100, 2: 200]))
        let waiters = table.end("a", number: 7)
        #expect(waiters == [1, 2] && table.running.isEmpty)
    }

    @Test func aPrefetchWaitsForATransferThatHasNotBegunAndOtherLoadsDoNot() {
        var table = running()
        let prefetch = table.joinRunning("a", waiter: 2, limit: 1, isPatient: true)
        let other = table.joinRunning("b", waiter: 2, limit: 1, isPatient: true)
        #expect(prefetch == .joined && other == .none)
        table = running(received: 1)
        let visible = table.joinRunning("a", waiter: 2, limit: 1, isPatient: false)
        #expect(visible == .joined)
    }

    @Test func aTransferThatHasNotBegunIsCancelledWithoutWaiters() {
        var table = running()
        let first = table.joinRunning("a", waiter: 2, limit: 1, isPatient: false)
        #expect(first == .overtakes(cancelling: nil) && table.running["a"]?.waiters == [1: 100])
        let left = table.leave("a", waiter: 1, isTimeUp: true)
        #expect(left == nil && table.running["a"]?.waiters == [:])
        let second = table.joinRunning("a", waiter: 3, limit: 1, isPatient: false)
        #expect(second == .overtakes(cancelling: 7) && table.running.isEmpty)
    }

    @Test func theLastWaiterCancelsTheTransferUnlessItTimedOut() {
        var table = running()
        _ = table.begin("a", number: 8, waiter: 2, limit: 100)
        let first = table.leave("a", waiter: 1, isTimeUp: false)
        let last = table.leave("a", waiter: 2, isTimeUp: false)
        let late = table.leave("a", waiter: 2, isTimeUp: false)
        #expect(first == nil && last == 7 && late == nil && table.running.isEmpty)
    }

    @Test func eachWaiterHasALimitAndTheTransferHasTheHighest() {
        var table = running()
        _ = table.begin("a", number: 8, waiter: 2, limit: 200)
        let (small, goesOn) = table.received(10, announced: 150, "a", number: 7)
        #expect(small == [1] && !goesOn && table.running["a"]?.waiters == [2: 200])
        let (large, isOver) = table.received(201, announced: nil, "a", number: 7)
        #expect(large == [2] && isOver && table.running.isEmpty)
    }

    @Test func reportsOfAnotherNumberAreIgnored() {
        var table = running()
        let before = table
        let (refusals, isOver) = table.received(1000, announced: nil, "a", number: 6)
        let waiters = table.end("a", number: 6)
        #expect(refusals == [] && !isOver && waiters == [] && table.running == before.running)
    }

    @Test func aCancelledTransferIsNotStoredEvenIfItSucceeds() {
        var table = running()
        #expect(table.wants(100, "a", number: 7, limit: 0) && !table.wants(101, "a", number: 7, limit: 500))
        // Started by an earlier launch.
        #expect(table.wants(500, "a", number: 6, limit: 500) && !table.wants(501, "a", number: 6, limit: 500))
        _ = table.leave("a", waiter: 1, isTimeUp: false)
        #expect(!table.wants(1, "a", number: 7, limit: 500))
        _ = table.end("a", number: 7)
        #expect(table.wants(1, "a", number: 7, limit: 500))
        table = running()
        _ = table.received(101, announced: nil, "a", number: 7)
        #expect(!table.wants(1, "a", number: 7, limit: 500))
        table = running()
        _ = table.leave("a", waiter: 1, isTimeUp: true)
        #expect(table.wants(1, "a", number: 7, limit: 500))
        _ = table.joinRunning("a", waiter: 2, limit: 1, isPatient: false)
        #expect(!table.wants(1, "a", number: 7, limit: 500))
    }

    @Test func transfersOfEarlierLaunchesAreAddedUnlessTheyHaveEnded() {
        var table = BackgroundTable()
        let waiters = table.end("gone", number: 1)
        #expect(waiters == [])
        let surplus = table.restore([("gone", 1, 0), ("a", 2, 5), ("a", 3, 0)], limit: 50)
        #expect(surplus == [3] && !table.wants(1, "a", number: 3, limit: 50))
        #expect(table.running == ["a": .init(number: 2, received: 5, limit: 50)])
        let joined = table.joinRunning("a", waiter: 1, limit: 50, isPatient: false)
        #expect(joined == .joined)
    }
}

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
