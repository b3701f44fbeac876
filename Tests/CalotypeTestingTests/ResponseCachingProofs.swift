import CalotypeTesting
import HTTPTypes
import ImageCaching
import ImageCore
import Testing

/// The built-in HTTP cache with changes.
private struct Altered: ResponseCaching {
    var request: @Sendable (inout DataRequest) -> Void = { _ in }
    var entry: @Sendable (inout DataEntry) -> Void = { _ in }
    var result: @Sendable (ResponseLookup, DataRequest) -> ResponseLookup = { result, _ in result }
    var removes = true
    let base = HTTPCache(store: LoggedDataCache())

    func lookUp(_ request: DataRequest) async throws -> ResponseLookup {
        var changed = request
        self.request(&changed)
        return result(try await base.lookUp(changed), request)
    }
    func store(_ entry: DataEntry, for request: DataRequest) async throws {
        var (changed, entry) = (request, entry)
        self.request(&changed)
        self.entry(&entry)
        try await base.store(entry, for: changed)
    }
    func removeResponse(for request: DataRequest) async throws { try await base.removeResponse(for: request) }
    func removeResponses(for url: URL) async throws { if removes { try await base.removeResponses(for: url) } }
    func removeAll() async throws { try await base.removeAll() }
}

private func proof(_ rule: String, _ what: String, _ make: @escaping @Sendable () -> Altered) -> Proof {
    Proof("ResponseCaching.\(rule)", what) { try await checkResponseCachingConformance(make) }
}

private func invented(_ request: DataRequest) -> ResponseLookup {
    .hit(DataResponse(url: request.url, body: ByteStream(Data([1]))))
}

let responseCachingProofs = [
    proof("missesUnknownRequests", "it invents a response") { Altered(result: { _, request in invented(request) }) },
    proof("servesStoredResponses", "it has no hit") { Altered(result: { _, _ in .miss(nil) }) },
    proof("servesStoredResponses", "it changes the body") {
        Altered(result: { result, request in if case .hit = result { invented(request) } else { result } })
    },
    proof("separatesRequests", "it ignores credentials") { Altered(request: { $0.headerFields[.authorization] = nil }) },
    proof("separatesRequests", "it ignores identities") { Altered(request: { $0.identities = [] }) },
    proof("separatesVariants", "it ignores Vary") { Altered(entry: { $0.head.headerFields[.vary] = nil }) },
    proof("respectsNoStore", "it stores what must not be stored") {
        Altered(entry: { $0.head.headerFields[.cacheControl] = "max-age=60" })
    },
    proof("respectsFreshness", "everything is fresh") {
        Altered(entry: {
            $0.head.headerFields[.cacheControl] = "max-age=60"
            $0.storedAt = SystemClock.secondsSince1970()
        })
    },
    proof("removesResponses", "the responses of a URL stay") { Altered(removes: false) },
    Proof("ResponseCaching.worksForSeveralTasks", "tasks share a request") {
        try await checkResponseCachingConformance {
            let first = EventLog<URL>()
            return Altered(request: { request in
                first.append(request.url)
                if first.count > 20 { request.url = first.events[first.count / 2] }
            })
        }
    },
]

@Suite(.timeLimit(.minutes(1))) struct BuiltInResponseCaches {
    @Test func theHTTPCachePasses() async throws {
        try await checkResponseCachingConformance { HTTPCache(store: LoggedDataCache()) }
    }

    @Test func anArchiveThatStoresNothingPasses() async throws {
        struct Archive: ResponseCaching {
            func lookUp(_ request: DataRequest) -> ResponseLookup { .miss(nil) }
            func store(_ entry: DataEntry, for request: DataRequest) {}
            func removeResponse(for request: DataRequest) {}
            func removeResponses(for url: URL) {}
            func removeAll() {}
        }
        try await checkResponseCachingConformance(stores: false) { Archive() }
    }
}
