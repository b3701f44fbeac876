internal import HTTPTypes
public import ImageCore

enum InterceptorRule: String, ConformanceRules {
    static let plugIn = "RequestInterceptor"
    case identifiesUsers = "An interceptor that sets fields which decide who may see the result has an identity."
    case repeatsIdentity = "The identity for a URL is the same each time, before and after fetches."
    case separatesUsers = "Interceptors of different users have different identities."
    case keepsURL = "The URL is not changed."
    case keepsLimits = "What the caller limits is not exceeded: size, networks, cache policy, deadline."
    case stopsWhenCancelled = "A CancellationError of next is rethrown, and next is not called again."
    case passesErrors = "A body that fails does not end as if it were complete."
    case passesBodies = "The body of a response reaches the caller."
    case releasesBodies = "A body that the caller releases is released."
    case opensOneResponse = "A response is released or read to its end before next is called again."
    case worksForSeveralFetches = "Eight fetches at once get their own responses."
}

/// Checks an interceptor against the contract of `RequestInterceptor`.
///
/// The interceptor is called with scripted responses, which also fail and are cancelled. ``ConformanceRule/all`` lists
/// the rules.
///
/// ```swift
/// // In a test, with a custom interceptor:
/// try await checkInterceptorConformance(others: [SigningInterceptor(identity: "bob") { _ in [.authorization: "B"] }]) {
///     SigningInterceptor(identity: "ann") { _ in [.authorization: "A"] }
/// }
/// ```
///
/// - Parameters:
///   - url: A URL that the interceptor handles. By default `https://example.org/cat.jpg`.
///   - others: Interceptors of other users, or with other additions that change the response. None by default.
///   - limit: The longest time that each rule may take. By default 20 seconds.
///   - make: Makes the interceptor, for the same user each time. Called for each rule.
/// - Throws: ``ConformanceFailure`` with all violations.
public func checkInterceptorConformance(
    url: URL? = nil, others: [any RequestInterceptor] = [], limit: Duration = .seconds(20),
    _ make: @escaping @Sendable () throws -> any RequestInterceptor
) async throws {
    guard let url = url ?? URL(string: "https://example.org/cat.jpg") else { return }
    let rules = RuleChecker<InterceptorRule>(limit: limit)
    await rules.run(.identifiesUsers) {
        let (interceptor, request) = (try make(), DataRequest(url: url))
        let sent = EventLog<DataRequest>()
        _ = try await interceptor.intercept(request) { changed in
            sent.append(changed)
            return response(to: changed)
        }
        let added = Set((sent.events.first?.headerFields ?? [:]).map(\.name)).filter(identifiesUser)
        guard let name = added.map(\.canonicalName).min() else { return }
        try require(
            interceptor.identity(for: url) != nil,
            "It sets \(name), but has no identity, so that the users of one process share cached images.")
    }
    await rules.run(.repeatsIdentity) {
        let interceptor = try make()
        let identity = interceptor.identity(for: url)
        _ = try await interceptor.intercept(DataRequest(url: url)) { response(to: $0) }
        for other in [interceptor, try make()] {
            try require(
                other.identity(for: url) == identity,
                "It named two identities for one user, so that caches never find its images.")
        }
    }
    await rules.run(.separatesUsers) {
        let identities = [try make().identity(for: url)] + others.map { $0.identity(for: url) }
        try require(
            Set(identities).count == identities.count, "Two users have one identity, so that one would see the other's images.")
    }
    await rules.run(.keepsURL) {
        try await observeRequests(make(), url) { changed, original in
            try require(changed.url == original.url, "It changed the URL to \(changed.url.absoluteString).")
        }
    }
    await rules.run(.keepsLimits) {
        try await observeRequests(make(), url) { changed, original in
            var comparable = changed
            comparable.url = original.url
            if let problem = InterceptedLoader.problem(with: comparable, from: original) { throw RuleViolation("It \(problem).") }
            if let allowed = original.deadline {
                // The two are read one after the other.
                let isKept = changed.deadline.map { $0.remaining <= allowed.remaining + .seconds(1) } ?? false
                try require(isKept, "It removed the deadline or moved it to a later time.")
            }
        }
    }
    await rules.run(.stopsWhenCancelled) { try await checkCancellation(of: make(), url) }
    await rules.run(.passesBodies) {
        let result = try await make().intercept(DataRequest(url: url)) { response(to: $0, chunks: [Data([1]), Data([2, 3])]) }
        let body = try await result.body.reduce(into: Data()) { $0.append($1) }
        try require(!body.isEmpty, "The body was read, and the caller got none.")
    }
    await rules.run(.passesErrors) {
        let result = try await make().intercept(DataRequest(url: url)) { request in
            let chunks = Lock([Data([1])])
            return DataResponse(
                url: request.url,
                body: ByteStream {
                    if let chunk = chunks.withLock({ $0.popLast() }) { return chunk }
                    throw ImageError(.connectionLost, message: "The connection was lost.")
                })
        }
        do { for try await _ in result.body {} } catch { return }
        throw RuleViolation("A body whose connection was lost ended as if it were complete.")
    }
    await rules.run(.releasesBodies) {
        let interceptor = try make()
        let source = BodySource()
        func loadAndRelease() async throws {
            _ = try await interceptor.intercept(DataRequest(url: url)) { source.response(to: $0, .ok) }
        }
        try await loadAndRelease()
        // The last reference may be dropped by another task.
        for _ in 0..<200 where source.isOpen { try await Task.sleep(for: .milliseconds(5)) }
        try require(!source.isOpen, "It keeps the body of a response that the caller has released, and with it a connection.")
        withExtendedLifetime(interceptor) {}
    }
    for status in [HTTPResponse.Status.unauthorized, .forbidden, .tooManyRequests, .internalServerError, .serviceUnavailable] {
        await rules.run(.opensOneResponse, "the status \(status.code)") {
            let source = BodySource()
            let overlaps = EventLog<Void>()
            _ = try await make().intercept(DataRequest(url: url)) { request in
                if source.count == 0 { return source.response(to: request, status) }
                if source.isOpen { overlaps.append(()) }
                return response(to: request)
            }
            try require(
                overlaps.count == 0,
                "It called next again while it kept the first response, which holds a connection. Get the first one in a function of its own."
            )
        }
    }
    await rules.run(.worksForSeveralFetches) {
        let interceptor = try make()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in UInt8(1)...8 {
                group.addTask {
                    let result = try await interceptor.intercept(DataRequest(url: url)) { request in
                        await Task.yield()
                        return response(to: request, chunks: [Data([number])])
                    }
                    let body = try await result.body.reduce(into: Data()) { $0.append($1) }
                    try require(body == Data([number]), "A fetch got the response of another one.")
                }
            }
            try await group.waitForAll()
        }
    }
    try throwFailure(rules.violations)
}

/// Whether a field usually contains credentials.
private func identifiesUser(_ name: HTTPField.Name) -> Bool {
    let name = name.canonicalName
    return ["authorization", "cookie", "token", "api-key", "apikey", "session", "signature", "user-id"].contains {
        name.contains($0)
    }
}

private func response(to request: DataRequest, chunks: [Data] = [Data([1])]) -> DataResponse {
    let remaining = Lock(chunks[...])
    return DataResponse(url: request.url, body: ByteStream { remaining.withLock { $0.popFirst() } })
}

/// Calls an interceptor with strict limits, and passes each request of it to a closure.
private func observeRequests(
    _ interceptor: any RequestInterceptor, _ url: URL,
    _ check: @escaping @Sendable (_ changed: DataRequest, _ original: DataRequest) throws -> Void
) async throws {
    var strict = DataRequest(
        url: url, maximumResponseBytes: 1_000, allowsExpensiveNetwork: false, cachePolicy: [.readsMemory, .writesMemory])
    strict.deadline = Deadline(after: .seconds(600))
    for original in [strict, DataRequest(url: url)] {
        let problems = EventLog<String>()
        _ = try await interceptor.intercept(original) { changed in
            do { try check(changed, original) } catch { problems.append(text(of: error)) }
            return response(to: changed)
        }
        if let problem = problems.events.first { throw RuleViolation(problem) }
    }
}

private func checkCancellation(of interceptor: any RequestInterceptor, _ url: URL) async throws {
    let calls = EventLog<Void>()
    let steps = EventLog<Void>()
    let gate = Gate()
    let task = Task {
        defer { steps.append(()) }
        _ = try await interceptor.intercept(DataRequest(url: url)) { request in
            calls.append(())
            steps.append(())
            try await gate.pass()
            return response(to: request)
        }
    }
    await steps.wait(forCount: 1)
    // It has ended without `next`, so there is nothing to cancel.
    guard calls.count > 0 else { return try await task.value }
    task.cancel()
    do { try await task.value } catch is CancellationError {
        return try require(calls.count == 1, "It called next \(calls.count) times; the first call was cancelled.")
    } catch {
        throw RuleViolation("next was cancelled, and it threw \(text(of: error)).")
    }
    throw RuleViolation("next was cancelled, and it returned a response after \(calls.count) calls.")
}

/// The body of a response that knows whether anyone keeps it.
private final class BodySource: Sendable {
    private final class Token: Sendable {
        let onRelease: @Sendable () -> Void
        init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
        deinit { onRelease() }
    }

    private let state = Lock((count: 0, open: 0))

    /// The number of responses so far.
    var count: Int { state.withLock { $0.count } }
    /// Whether a response is neither read to its end nor released.
    var isOpen: Bool { state.withLock { $0.open > 0 } }

    func response(to request: DataRequest, _ status: HTTPResponse.Status) -> DataResponse {
        state.withLock { $0 = ($0.count + 1, $0.open + 1) }
        let token = Lock<Token?>(Token { [self] in state.withLock { $0.open -= 1 } })
        let chunks = Lock([Data([2]), Data([1])])
        return DataResponse(
            url: request.url, head: HTTPResponse(status: status),
            body: ByteStream {
                if let chunk = chunks.withLock({ $0.popLast() }) { return chunk }
                token.withLock { $0 = nil }
                return nil
            })
    }
}
