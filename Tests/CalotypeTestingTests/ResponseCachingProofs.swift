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
    var standsIn: @Sendable (DataResponse?, DataRequest) -> DataResponse? = { response, _ in response }
    var alwaysAllows = false
    var rules: (@Sendable (any ProcessedImageRules) -> any ProcessedImageRules)?
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
    func removeResponses(of resource: ResourceKey) async throws { if removes { try await base.removeResponses(of: resource) } }
    func removeAll() async throws { try await base.removeAll() }
    func standIn(for request: DataRequest, after error: ImageError) async throws -> DataResponse? {
        var changed = request
        self.request(&changed)
        return standsIn(try await base.standIn(for: changed, after: error), request)
    }
    func allowsStandIn(
        _ transaction: any ResponseTransaction, for request: DataRequest, after error: ImageError
    ) -> Bool { alwaysAllows || base.allowsStandIn(transaction, for: request, after: error) }
    var processedImageRules: (any ProcessedImageRules)? { base.processedImageRules.map { rules?($0) ?? $0 } }
}

/// The built-in rules for finished images with changes.
private struct AlteredRules: ProcessedImageRules {
    let base: any ProcessedImageRules
    var source: @Sendable (inout ResponseHead) -> Void = { _ in }
    var image: @Sendable (inout DataEntry) -> Void = { _ in }
    var alwaysServes = false
    var isAlwaysFresh = false
    var alwaysConfirms = false

    func entry(for image: DataEntry, madeFrom source: ResponseHead, to request: DataRequest) -> DataEntry? {
        var (image, source) = (image, source)
        self.image(&image)
        self.source(&source)
        return base.entry(for: image, madeFrom: source, to: request)
    }
    func use(of image: DataEntry, for request: DataRequest) -> ProcessedImageUse {
        alwaysServes ? .serve : base.use(of: image, for: request)
    }
    func confirmed(_ image: DataEntry, by response: ResponseHead, to request: DataRequest) -> DataEntry? {
        base.confirmed(image, by: response, to: request) ?? (alwaysConfirms ? image : nil)
    }
    func freshUntil(of image: DataEntry) -> Double { isAlwaysFresh ? .infinity : base.freshUntil(of: image) }
    func allowsStaleUse(of image: DataEntry, for request: DataRequest, after error: ImageError) -> Bool {
        base.allowsStaleUse(of: image, for: request, after: error)
    }
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
    proof("replacesFailures", "it changes the body") {
        Altered(standsIn: { response, request in
            response.map { _ in DataResponse(url: request.url, body: ByteStream(Data([1]))) }
        })
    },
    proof("replacesFailures", "it serves something for each failure") {
        Altered(standsIn: { response, request in response ?? DataResponse(url: request.url, body: ByteStream(Data([1]))) })
    },
    proof("replacesFailures", "it announces a response for each failure") { Altered(alwaysAllows: true) },
    proof("replacesFailures", "it serves what must be revalidated") {
        Altered(entry: { $0.head.headerFields[.cacheControl] = "max-age=60, stale-if-error=86400" })
    },
    proof("replacesFailures", "it ignores identities") { Altered(request: { $0.identities = [] }) },
    proof("rulesFinishedImages", "they ignore no-store") {
        Altered(rules: { AlteredRules(base: $0, source: { $0.head.headerFields[.cacheControl] = "max-age=60" }) })
    },
    proof("rulesFinishedImages", "they serve everything") { Altered(rules: { AlteredRules(base: $0, alwaysServes: true) }) },
    proof("rulesFinishedImages", "everything is fresh") { Altered(rules: { AlteredRules(base: $0, isAlwaysFresh: true) }) },
    proof("rulesFinishedImages", "they change the bytes") {
        Altered(rules: { AlteredRules(base: $0, image: { $0.data.append(0) }) })
    },
    proof("rulesFinishedImages", "they confirm every version") {
        Altered(rules: { AlteredRules(base: $0, alwaysConfirms: true) })
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
            func removeResponses(of resource: ResourceKey) {}
            func removeAll() {}
        }
        try await checkResponseCachingConformance(stores: false) { Archive() }
    }
}
