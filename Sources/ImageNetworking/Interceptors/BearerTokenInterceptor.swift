internal import HTTPTypes
public import ImageCore

/// Adds a bearer token (RFC 6750) to the requests to certain hosts, and gets a new one when a host rejects it.
///
/// A request that gets the status 401 is sent once more with a new token; not after a redirect to another origin, which
/// never got the token. The interceptor declares its user as its identity, so that the users of one process, one cache
/// directory or one shared store never share a response, and a renewed token finds what the last one has stored. One
/// refresh serves all requests whose token is rejected, and it continues when a request that waits for it is cancelled.
/// A request with its own `Authorization` is not changed, and no other host ever gets the token.
///
/// ```swift
/// let token = BearerTokenInterceptor(hosts: ["api.example.org"], user: "ann") { rejected in
///     // Request a token from the identity provider here. `rejected` is the rejected token, nil the first time.
///     "a-new-token"
/// }
/// ```
public final class BearerTokenInterceptor: RequestInterceptor {
    private typealias Waiter = AsyncStream<Result<String, any Error>>.Continuation

    private struct State {
        var token: String?
        /// The requests that wait for the refresh that runs; `nil` when none runs.
        var waiters: [Waiter]?
    }

    private let hosts: Set<String>
    private let user: String
    private let refresh: @Sendable (String?) async throws -> String
    private let state: Lock<State>

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - hosts: the hosts that get the token, in lower case and without port; only over `https` unless they are
    ///     loopback addresses.
    ///   - user: names the user that the tokens belong to, such as an account number; a constant for tokens of the app
    ///     itself.
    ///   - token: the first one; `nil`, the default, refreshes before the first request.
    ///   - refresh: returns a new token; its argument is the rejected one. What it throws fails the requests that wait.
    public init(
        hosts: Set<String>, user: String, token: String? = nil, refresh: @escaping @Sendable (String?) async throws -> String
    ) {
        (self.hosts, self.user, self.refresh) = (hosts, user, refresh)
        state = Lock(State(token: token))
    }

    /// Sends the request with the token if its host is one of the hosts, and without changes otherwise.
    public func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        guard request.headerFields[.authorization] == nil, getsToken(request.url) else { return try await next(request) }
        let token = try await currentToken(rejected: nil)
        if let response = try await acceptedResponse(to: request, token, next) { return response }
        return try await next(Self.signed(request, try await currentToken(rejected: token)))
    }

    /// The user, for URLs of the hosts that get the token.
    public func identity(for url: URL) -> String? { getsToken(url) ? "bearer " + user : nil }

    private func getsToken(_ url: URL) -> Bool {
        guard let origin = Self.origin(of: url) else { return false }
        return hosts.contains(origin.host) && (origin.isSecure || origin.isOfThisMachine)
    }

    /// The response; `nil` when the host rejected the token. Returning releases the rejection: while its body is unread
    /// it holds a connection, which the refresh and the second request may need.
    private func acceptedResponse(to request: DataRequest, _ token: String, _ next: Next) async throws -> DataResponse? {
        let response = try await next(Self.signed(request, token))
        let isRejection =
            response.head.status == .unauthorized && Self.origin(of: response.url) == Self.origin(of: request.url)
        return isRejection ? nil : response
    }

    private static func origin(of url: URL) -> WebAddress.Origin? { (try? WebAddress(url))?.origin }

    private static func signed(_ request: DataRequest, _ token: String) -> DataRequest {
        var signed = request
        signed.headerFields[.authorization] = "Bearer \(token)"
        return signed
    }

    /// The token, refreshed when there is none or it is the rejected one.
    private func currentToken(rejected: String?) async throws -> String {
        try Task.checkCancellation()
        let (results, waiter) = AsyncStream.makeStream(of: Result<String, any Error>.self)
        let (token, mustRefresh) = state.withLock { state -> (String?, Bool) in
            if let waiters = state.waiters {
                state.waiters = waiters + [waiter]
                return (nil, false)
            }
            if let token = state.token, token != rejected { return (token, false) }
            state.waiters = [waiter]
            return (nil, true)
        }
        if let token { return token }
        if mustRefresh { startRefresh(rejected) }
        for await result in results { return try result.get() }
        // The stream ends without a result only when the task is cancelled.
        throw CancellationError()
    }

    private func startRefresh(_ rejected: String?) {
        Task {
            let result: Result<String, any Error>
            do { result = .success(try await refresh(rejected)) } catch { result = .failure(error) }
            let waiters = state.withLock { state in
                // After a failure the rejected token is not used again.
                state.token = try? result.get()
                defer { state.waiters = nil }
                return state.waiters ?? []
            }
            for waiter in waiters { waiter.yield(result) }
        }
    }
}
