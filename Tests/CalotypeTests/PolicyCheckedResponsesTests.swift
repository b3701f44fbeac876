import CalotypeTesting
import HTTPTypes
import Testing

@testable import Calotype

/// A source policy keeps a response cache from serving, and from nothing else.
@Suite struct ResponsesUnderASourcePolicy {
    private enum Call: Hashable { case lookUp(URL), store(URL), remove(URL), removeURL(URL), removeAll }

    private struct Recording: ResponseCaching {
        let log: EventLog<Call>
        func lookUp(_ request: DataRequest) -> ResponseLookup {
            log.append(.lookUp(request.url))
            return .miss(nil)
        }
        func store(_ entry: DataEntry, for request: DataRequest) { log.append(.store(request.url)) }
        func removeResponse(for request: DataRequest) { log.append(.remove(request.url)) }
        func removeResponses(for url: URL) { log.append(.removeURL(url)) }
        func removeAll() { log.append(.removeAll) }
    }

    @Test func everythingButALookupOfAForbiddenURLReachesTheCache() async throws {
        let log = EventLog<Call>()
        let responses = PolicyCheckedResponses(cache: Recording(log: log), policy: .publicWeb)
        let (allowed, forbidden) = (URL(string: "https://example.org/a")!, URL(string: "http://127.0.0.1/b")!)
        for url in [allowed, forbidden] {
            let request = DataRequest(url: url)
            _ = try await responses.lookUp(request)
            try await responses.store(DataEntry(data: Data(), storedAt: 0), for: request)
            try await responses.removeResponse(for: request)
            try await responses.removeResponses(for: url)
        }
        try await responses.removeAll()
        #expect(
            log.events == [
                .lookUp(allowed), .store(allowed), .remove(allowed), .removeURL(allowed),
                .store(forbidden), .remove(forbidden), .removeURL(forbidden), .removeAll,
            ])
    }
}
