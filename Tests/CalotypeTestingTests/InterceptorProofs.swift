import CalotypeTesting
import HTTPTypes
import ImageCore
import ImageNetworking
import Testing

/// An interceptor that adds a token, with changes.
private struct Altered: RequestInterceptor {
    var identity: @Sendable () -> String? = { "ann" }
    var work: @Sendable (DataRequest, Next) async throws -> DataResponse = { request, next in try await next(request) }

    func identity(for url: URL) -> String? { identity() }
    func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        var signed = request
        signed.headerFields[.authorization] = "Bearer token"
        return try await work(signed, next)
    }
}

private func proof(
    _ rule: String, _ what: String, _ work: @escaping @Sendable (DataRequest, Altered.Next) async throws -> DataResponse
) -> Proof {
    Proof("RequestInterceptor.\(rule)", what) {
        try await checkInterceptorConformance(limit: .seconds(5)) { Altered(work: work) }
    }
}

private func identity(_ rule: String, _ what: String, _ identity: @escaping @Sendable () -> String?) -> Proof {
    Proof("RequestInterceptor.\(rule)", what) { try await checkInterceptorConformance { Altered(identity: identity) } }
}

private func change(_ rule: String, _ what: String, _ change: @escaping @Sendable (inout DataRequest) -> Void) -> Proof {
    proof(rule, what) { request, next in
        var changed = request
        change(&changed)
        return try await next(changed)
    }
}

private let calls = Lock(0)
/// Responses that are never released.
private let kept = Lock<[DataResponse]>([])

let interceptorProofs = [
    identity("identifiesUsers", "a token without an identity") { nil },
    identity("repeatsIdentity", "an identity that contains a number") { "\(calls.withLock { $0 += 1; return $0 })" },
    Proof("RequestInterceptor.separatesUsers", "one identity for all users") {
        try await checkInterceptorConformance(others: [Altered()]) { Altered() }
    },
    change("keepsURL", "another URL") { $0.url.append(path: "large") },
    change("keepsLimits", "a higher limit") { $0.maximumResponseBytes = nil },
    change("keepsLimits", "expensive networks") { $0.allowsExpensiveNetwork = true },
    change("keepsLimits", "storing on disk") { $0.cachePolicy = .memoryAndDisk },
    change("keepsLimits", "no deadline") { $0.deadline = nil },
    proof("stopsWhenCancelled", "a retry after cancellation") { request, next in
        do { return try await next(request) } catch { return try await next(request) }
    },
    proof("stopsWhenCancelled", "cancellation becomes another error") { request, next in
        do { return try await next(request) } catch { throw ImageError(.connectionLost, message: "It failed.") }
    },
    proof("passesErrors", "a body that fails ends") { request, next in
        var response = try await next(request)
        var data = Data()
        do { for try await chunk in response.body { data.append(chunk) } } catch {}
        response.body = ByteStream(data)
        return response
    },
    proof("passesBodies", "the body is read and not replaced") { request, next in
        let response = try await next(request)
        for try await _ in response.body {}
        return response
    },
    proof("releasesBodies", "responses are kept") { request, next in
        let response = try await next(request)
        kept.withLock { $0.append(response) }
        return response
    },
    proof("opensOneResponse", "the first response stays open") { request, next in
        let first = try await next(request)
        guard first.head.status != .ok else { return first }
        let second = try await next(request)
        return withExtendedLifetime(first) { second }
    },
    Proof("RequestInterceptor.worksForSeveralFetches", "fetches share a response") {
        let responses = EventLog<DataResponse>()
        try await checkInterceptorConformance {
            Altered(work: { request, next in
                if let first = responses.events.first { return first }
                let response = try await next(request)
                responses.append(response)
                return responses.events[0]
            })
        }
    },
]

/// The built-in interceptors pass.
@Suite(.timeLimit(.minutes(1))) struct BuiltInInterceptors {
    @Test func theyPass() async throws {
        try await checkInterceptorConformance(others: [BearerTokenInterceptor(hosts: ["example.org"], user: "bob") { _ in "b" }])
        {
            BearerTokenInterceptor(hosts: ["example.org"], user: "ann") { _ in "a" }
        }
        try await checkInterceptorConformance(others: [SigningInterceptor(identity: "bob") { _ in [:] }]) {
            SigningInterceptor(identity: "ann") { _ in [.authorization: "HMAC 1"] }
        }
        try await checkInterceptorConformance(others: [DefaultHeadersInterceptor([.acceptLanguage: "de"])]) {
            DefaultHeadersInterceptor([.acceptLanguage: "en", .authorization: "Basic a"])
        }
        try await checkInterceptorConformance { LoggingInterceptor { _ in } }
        try await checkInterceptorConformance { TransferMetricsInterceptor { _ in } }
        try await checkInterceptorConformance { BeforeAfterInterceptor(before: { $0.headerFields[.userAgent] = "Album" }) }
    }
}
