internal import HTTPTypes
public import ImageCore

enum ResponseCachingRule: String, ConformanceRules {
    static let plugIn = "ResponseCaching"
    case missesUnknownRequests = "An empty cache has no hit."
    case servesStoredResponses = "A fresh response that was stored is served with its status, its fields and its body."
    case separatesRequests = "A response is not served to another URL, to another user, or to what interceptors tell apart."
    case separatesVariants = "A response is not served to a request that differs in a field of its Vary."
    case respectsNoStore = "A response with no-store is not served."
    case respectsFreshness = "A response that is stale or has no-cache is not served without revalidation."
    case replacesFailures = "In place of a failure only the stored response of the request is served, where it may be."
    case rulesFinishedImages = "A finished image follows its response: no-store, freshness, no-cache, another version."
    case removesResponses = "Removed responses are not served: of a request, of a URL for all users, or all."
    case worksForSeveralTasks = "Four tasks at once get no response of another URL."
}

/// Checks an HTTP cache against the contract of `ResponseCaching`.
///
/// ``ConformanceRule/all`` lists the rules. Revalidation by the loader of the cache is not checked.
///
/// ```swift
/// // In a test, with a custom cache:
/// try await checkResponseCachingConformance { HTTPCache(store: LoggedDataCache()) }
/// ```
///
/// - Parameters:
///   - stores: Whether the cache must serve a fresh response that was stored. By default `true`; an archive stores
///     nothing.
///   - limit: The longest time that each rule may take. By default 20 seconds.
///   - make: Makes an empty cache. Called for each rule.
/// - Throws: ``ConformanceFailure`` with all violations.
public func checkResponseCachingConformance(
    stores: Bool = true, limit: Duration = .seconds(20), _ make: @escaping @Sendable () async throws -> any ResponseCaching
) async throws {
    let rules = RuleChecker<ResponseCachingRule>(limit: limit)
    await rules.run(.missesUnknownRequests) {
        try await requireMiss(make(), request("a"), "An empty cache had a hit")
    }
    await rules.run(.servesStoredResponses) {
        let cache = try await make()
        let entry = entry(1, [.cacheControl: "max-age=3600", .contentType: "image/png"])
        try await cache.store(entry, for: request("a"))
        guard let found = try await hit(cache, request("a")) else {
            return try require(!stores, "A fresh response that was stored was not served.")
        }
        try require(try await body(of: found) == entry.data, "The body was changed.")
        try require(found.head.status == .ok, "The status was \(found.head.status).")
        try require(found.head.headerFields[.contentType] == "image/png", "The field Content-Type was lost.")
        try require(found.url == request("a").url, "The URL was \(found.url.absoluteString).")
    }
    await rules.run(.separatesRequests) {
        let cache = try await make()
        try await cache.store(entry(1, [.cacheControl: "max-age=3600"]), for: request("a", authorization: "ann", identity: "ann"))
        try await requireMiss(cache, request("b"), "A response was served for another URL")
        try await requireMiss(
            cache, request("a", authorization: "bob", identity: "ann"), "A response was served to another Authorization")
        try await requireMiss(
            cache, request("a", authorization: "ann", identity: "bob"),
            "A response was served to another identity of an interceptor")
        try await requireMiss(cache, request("a"), "The response of a user was served without credentials")
    }
    await rules.run(.separatesVariants) {
        let cache = try await make()
        var english = request("a")
        english.headerFields[.acceptLanguage] = "en"
        var german = request("a")
        german.headerFields[.acceptLanguage] = "de"
        try await cache.store(entry(1, [.cacheControl: "max-age=3600", .vary: "Accept-Language"]), for: english)
        try await requireMiss(cache, german, "A response with Vary was served to a request with another value of the field")
    }
    await rules.run(.respectsNoStore) {
        let cache = try await make()
        try await cache.store(entry(1, [.cacheControl: "no-store"]), for: request("a"))
        try await requireMiss(cache, request("a"), "A response with no-store was served")
    }
    for (name, fields, age) in [
        ("no-cache", [.cacheControl: "no-cache", .eTag: "\"1\""] as HTTPFields, 0.0),
        ("a stale response", [.cacheControl: "max-age=60"], 3_600),
    ] {
        await rules.run(.respectsFreshness, name) {
            let cache = try await make()
            var old = entry(1, fields)
            old.storedAt -= age
            try await cache.store(old, for: request("a"))
            guard case .hit(_, revalidating: nil) = try await cache.lookUp(request("a")) else { return }
            throw RuleViolation("It was served without revalidation.")
        }
    }
    await rules.run(.replacesFailures) { try await checkReplacement(by: make()) }
    await rules.run(.rulesFinishedImages) { try await checkFinishedImages(make().processedImageRules) }
    await rules.run(.removesResponses) { try await checkRemoval(in: make()) }
    await rules.run(.worksForSeveralTasks) {
        let cache = try await make()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for round in 0..<50 {
                        let mark = (round * 7 + worker * 13) % 20
                        if let found = try await hit(cache, request("\(mark)")) {
                            let data = try await body(of: found)
                            try require(
                                data == entry(mark, [:]).data, "With several tasks at once, a response of another URL was served."
                            )
                        } else {
                            try await cache.store(entry(mark, [.cacheControl: "max-age=3600"]), for: request("\(mark)"))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
    try throwFailure(rules.violations)
}

/// Stale responses in place of a failure (RFC 5861 section 4); must-revalidate forbids them (RFC 9111 section 5.2.2.2).
private func checkReplacement(by cache: any ResponseCaching) async throws {
    let failure = ImageError(.connectionFailed, message: "The server was not reached.")
    for (mark, fields) in [
        (1, [.cacheControl: "max-age=60, stale-if-error=86400"] as HTTPFields),
        (2, [.cacheControl: "max-age=60, must-revalidate"]),
    ] {
        var old = entry(mark, fields)
        old.storedAt -= 3_600
        try await cache.store(old, for: request("\(mark)"))
    }
    if let found = try await cache.standIn(for: request("1"), after: failure) {
        try require(
            try await body(of: found) == entry(1, [:]).data, "In place of a failure, a body was served that was not stored.")
    }
    func requireNothing(for request: DataRequest, _ otherwise: String) async throws {
        var isAllowed = false
        if case .miss(let transaction?) = try await cache.lookUp(request) {
            isAllowed = cache.allowsStandIn(transaction, for: request, after: failure)
        }
        let found = try await cache.standIn(for: request, after: failure)
        try require(!isAllowed && found == nil, "In place of a failure, \(otherwise) was served.")
    }
    try await requireNothing(for: request("2"), "a response with must-revalidate")
    try await requireNothing(for: request("3"), "a response of another URL")
    try await requireNothing(for: request("1", identity: "bob"), "a response of another user")
    try await cache.removeAll()
    try await requireNothing(for: request("1"), "a removed response")
}

private func checkFinishedImages(_ rules: (any ProcessedImageRules)?) throws {
    guard let rules else { return }
    func stored(_ fields: HTTPFields, age: Double = 0) -> DataEntry? {
        let head = HTTPResponse(status: .ok, headerFields: fields)
        return rules.entry(
            for: entry(1, [:]),
            madeFrom: ResponseHead(url: request("a").url, head: head, receivedAt: Date().timeIntervalSince1970 - age),
            to: request("a"))
    }
    try require(
        stored([.cacheControl: "no-store"]) == nil, "A finished image may be stored though its response has no-store.")
    for (name, fields, age) in [
        ("is stale", [.cacheControl: "max-age=60", .eTag: "\"1\""] as HTTPFields, 3_600.0),
        ("has no-cache", [.cacheControl: "no-cache", .eTag: "\"1\""], 0),
    ] {
        guard let image = stored(fields, age: age) else { continue }
        try require(rules.use(of: image, for: request("a")) != .serve, "A finished image is served though its response \(name).")
        try require(
            rules.freshUntil(of: image) <= Date().timeIntervalSince1970,
            "A finished image is fresh though its response \(name).")
    }
    guard let image = stored([.cacheControl: "max-age=3600", .eTag: "\"1\""]) else { return }
    try require(image.data == entry(1, [:]).data, "The bytes of a finished image were changed.")
    let other = HTTPResponse(status: .notModified, headerFields: [.eTag: "\"2\""])
    let confirmation = ResponseHead(url: request("a").url, head: other, receivedAt: Date().timeIntervalSince1970)
    try require(
        rules.confirmed(image, by: confirmation, to: request("a")) == nil,
        "A finished image was confirmed by a 304 for another version.")
}

private func checkRemoval(in cache: any ResponseCaching) async throws {
    let fresh = entry(1, [.cacheControl: "max-age=3600"])
    let requests = [request("a"), request("a", authorization: "ann"), request("a", identity: "bob"), request("b")]
    func storeAll() async throws { for request in requests { try await cache.store(fresh, for: request) } }
    try await storeAll()
    try await cache.removeResponse(for: requests[0])
    try await requireMiss(cache, requests[0], "A response was served after it was removed")
    try await storeAll()
    try await cache.removeResponses(of: requests[0].resource)
    for request in requests.prefix(3) {
        try await requireMiss(cache, request, "A response was served after all responses of its URL were removed")
    }
    try await storeAll()
    try await cache.removeAll()
    for request in requests { try await requireMiss(cache, request, "A response was served after all were removed") }
}

private func request(_ name: String, authorization: String? = nil, identity: String? = nil) -> DataRequest {
    var request = DataRequest(url: URL(string: "https://example.org/\(name)") ?? URL(filePath: "/"))
    if let authorization { request.headerFields[.authorization] = "Bearer \(authorization)" }
    if let identity { request.identities = ["interceptor \(identity)"] }
    return request
}

private func entry(_ mark: Int, _ fields: HTTPFields) -> DataEntry {
    let data = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ mark) })
    return DataEntry(data: data, head: HTTPResponse(status: .ok, headerFields: fields), storedAt: Date().timeIntervalSince1970)
}

private func hit(_ cache: any ResponseCaching, _ request: DataRequest) async throws -> DataResponse? {
    if case .hit(let response, _) = try await cache.lookUp(request) { response } else { nil }
}

private func body(of response: DataResponse) async throws -> Data {
    try await response.body.reduce(into: Data()) { $0.append($1) }
}

private func requireMiss(_ cache: any ResponseCaching, _ request: DataRequest, _ otherwise: String) async throws {
    try require(try await hit(cache, request) == nil, "\(otherwise).")
}
