internal import HTTPTypes
public import ImageCore

/// Sends a bearer token (RFC 6750) to the hosts that it is meant for, and gets a new one when it is refused.
///
/// A request that is answered 401 is sent again once with a new token; not where a redirect led to another origin, which never saw
/// the token. However many requests find their token refused, one refresh serves them all, and it goes on when one of those that
/// wait for it is cancelled. A request that has an `Authorization` of its own is left alone, and no other host ever sees the token.
///
/// ```swift
/// let token = BearerTokenInterceptor(hosts: ["api.example.org"]) { refused in
///     // Ask the identity provider here. `refused` is the token that did not do, nil the first time.
///     "a-new-token"
/// }
/// ```
public final class BearerTokenInterceptor: RequestInterceptor {
    private struct State {
        var token: String?
        var isRefreshing = false
        var nextID = 0
        var waiters: [Int: CheckedContinuation<String, any Error>] = [:]
        /// Waits that were cancelled before they began.
        var cancelled: Set<Int> = []
    }

    private let hosts: Set<String>
    private let refresh: @Sendable (String?) async throws -> String
    private let state: Lock<State>

    /// - Parameters:
    ///   - hosts: the hosts that may see the token, in lower case and without port; only over `https` unless they are
    ///     loopback addresses.
    ///   - token: the first one; `nil` refreshes before the first request.
    ///   - refresh: returns a new token; its argument is the one that was refused. What it throws fails the requests that wait.
    public init(hosts: Set<String>, token: String? = nil, refresh: @escaping @Sendable (String?) async throws -> String) {
        self.hosts = hosts
        self.refresh = refresh
        state = Lock(State(token: token))
    }

    public func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        guard request.headerFields[.authorization] == nil, isMeant(for: request.url) else { return try await next(request) }
        let token = try await currentToken(unless: nil)
        if let answer = try await Self.answer(to: request, token, next) { return answer }
        return try await next(Self.signed(request, try await currentToken(unless: token)))
    }

    /// What is answered to the token; `nil` for a refusal. That is let go of here: while its body is unread it holds a connection,
    /// which the refresh and the second request may need.
    private static func answer(to request: DataRequest, _ token: String, _ next: Next) async throws -> DataResponse? {
        let response = try await next(signed(request, token))
        // Another origin, which a redirect led to, never saw the token.
        let isRefusal = response.head.status == .unauthorized && origin(of: response.url) == origin(of: request.url)
        return isRefusal ? nil : response
    }

    private func isMeant(for url: URL) -> Bool {
        guard let origin = Self.origin(of: url), hosts.contains(origin.host) else { return false }
        return origin.isSecure || origin.isOfThisMachine
    }

    private static func origin(of url: URL) -> WebAddress.Origin? { (try? WebAddress(url.absoluteString))?.origin }

    private static func signed(_ request: DataRequest, _ token: String) -> DataRequest {
        var signed = request
        signed.headerFields[.authorization] = "Bearer \(token)"
        return signed
    }

    /// The token, refreshed when there is none or it is the one that was refused.
    private func currentToken(unless refused: String?) async throws -> String {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        // One that was cancelled after it had its answer left its number behind.
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Answer {
                    case token(String), cancelled, wait, refresh
                }
                let answer = state.withLock { state -> Answer in
                    if state.cancelled.remove(id) != nil { return .cancelled }
                    if !state.isRefreshing, let token = state.token, token != refused { return .token(token) }
                    state.waiters[id] = continuation
                    defer { state.isRefreshing = true }
                    return state.isRefreshing ? .wait : .refresh
                }
                switch answer {
                case .token(let token): continuation.resume(returning: token)
                case .cancelled: continuation.resume(throwing: CancellationError())
                case .wait: break
                case .refresh: startRefresh(refused)
                }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: id)
                if waiter == nil { state.cancelled.insert(id) }
                return waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private func startRefresh(_ refused: String?) {
        Task {
            let result: Result<String, any Error>
            do { result = .success(try await refresh(refused)) } catch { result = .failure(error) }
            let waiters = state.withLock { state in
                state.isRefreshing = false
                // A token that was refused is not offered again.
                state.token = try? result.get()
                defer { state.waiters = [:] }
                return state.waiters.values.map { $0 }
            }
            for waiter in waiters { waiter.resume(with: result) }
        }
    }
}
