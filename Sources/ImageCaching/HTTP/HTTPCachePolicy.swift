internal import HTTPTypes
public import ImageCore

/// The rules by which a private HTTP cache stores and serves responses: RFC 9111 with the preconditions of RFC 9110,
/// `stale-while-revalidate` and `stale-if-error` of RFC 5861, and `immutable` of RFC 8246. A value without side effects.
///
/// ```swift
/// func mayBeShown(_ response: StoredResponse, for request: DataRequest, now: Double) -> Bool {
///     if case .serve = HTTPCachePolicy.standard.decision(for: request, stored: response, now: now) { true } else { false }
/// }
/// ```
public struct HTTPCachePolicy: Hashable, Sendable {
    /// How strictly the policy follows the RFCs.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// As the RFCs say.
        case standard
        /// Stored responses are served at any age, and every response is stored unless its server forbids it.
        case aggressive
        /// Nothing is stored or served.
        case off
    }

    /// How strictly the policy follows the RFCs.
    public var mode: Mode
    /// If the server states no freshness lifetime: the lifetime as a fraction of the time since `Last-Modified` (RFC 9111, section
    /// 4.2.2); 0.1 by default.
    public var heuristicFraction: Double
    /// The maximum of the heuristic lifetime; a day by default.
    public var heuristicLimit: Duration
    /// The maximum lifetime of a response with an error status (400 and above), whatever its server states; 5 minutes by
    /// default. An image that was missing for a moment must not stay missing for a year.
    public var maximumErrorLifetime: Duration
    /// Whether a stale response is served while its server is unreachable, unless the server forbids it (RFC 9111, section 4.2.4);
    /// `true` by default.
    public var servesStaleOffline: Bool

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - mode: how strictly the policy follows the RFCs.
    ///   - heuristicFraction: the heuristic lifetime as a fraction of the time since `Last-Modified`.
    ///   - heuristicLimit: the maximum of the heuristic lifetime.
    ///   - maximumErrorLifetime: the maximum lifetime of an error response.
    ///   - servesStaleOffline: whether a stale response is served while its server is unreachable.
    public init(
        mode: Mode = .standard, heuristicFraction: Double = 0.1, heuristicLimit: Duration = .seconds(86_400),
        maximumErrorLifetime: Duration = .seconds(300), servesStaleOffline: Bool = true
    ) {
        self.mode = mode
        self.heuristicFraction = heuristicFraction
        self.heuristicLimit = heuristicLimit
        self.maximumErrorLifetime = maximumErrorLifetime
        self.servesStaleOffline = servesStaleOffline
    }

    /// As the RFCs say.
    public static let standard = HTTPCachePolicy()
    /// Ignores freshness and stores whatever the server allows: for images whose URLs change with their content.
    public static let aggressive = HTTPCachePolicy(mode: .aggressive)
    /// Turns the HTTP cache off.
    public static let off = HTTPCachePolicy(mode: .off)

    /// Decides about a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - stored: the stored response for its URL, which is ignored if the request does not match its `Vary`; `nil` for none.
    ///   - now: the current time in seconds since 1970.
    public func decision(for request: DataRequest, stored: StoredResponse?, now: Double) -> HTTPCacheDecision {
        let directives = RequestDirectives(request)
        let isOnlyIfCached = directives.control.onlyIfCached
        let otherwise: HTTPCacheDecision = isOnlyIfCached ? .gatewayTimeout : .fetch
        guard mode != .off, request.isCacheRead, !directives.bypasses, let stored, stored.answers(request) else {
            return otherwise
        }
        let content = content(from: stored, to: request)
        let reuse = reuse(of: stored, directives, at: now)
        if let content, reuse != .validate {
            let reply = reply(content, from: stored, to: request, at: now)
            // A request that forbids the network is not validated.
            guard reuse == .serveAndValidate, !isOnlyIfCached else { return .serve(reply) }
            // Without a validator of its own, the preconditions of the caller would be left.
            let hasValidator = stored.entityTag != nil || stored.head.headerFields.contains(.lastModified)
            return .serveWhileRevalidating(reply, hasValidator ? validation(of: stored, content, for: request) : nil)
        }
        guard !isOnlyIfCached, let validation = validation(of: stored, content, for: request) else { return otherwise }
        return .revalidate(validation)
    }

    /// The stale reply to serve after a failure; `nil` if none may be served (RFC 9111, section 4.2.4; RFC 5861, section 4).
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - stored: the stored response for its URL.
    ///   - failure: why the server returned no usable response.
    ///   - now: the current time in seconds since 1970.
    public func staleReply(
        for request: DataRequest, stored: StoredResponse, after failure: HTTPCacheFailure, now: Double
    ) -> HTTPCacheReply? {
        if case .status(let code) = failure, ![500, 502, 503, 504].contains(code) { return nil }
        let directives = RequestDirectives(request)
        guard mode != .off, request.isCacheRead, !directives.bypasses, !directives.control.noCache, stored.answers(request),
            let content = content(from: stored, to: request), mode == .aggressive || !stored.forbidsStale
        else { return nil }
        let staleness = stored.age(at: now) - stored.lifetime(under: self)
        let window = max(stored.control.staleIfError ?? -1, directives.control.staleIfError ?? -1)
        let isOffline = failure == .unreachable && servesStaleOffline
        guard isOffline || mode == .aggressive || window >= 0 && staleness <= Double(window) else { return nil }
        return reply(content, from: stored, to: request, at: now)
    }
}

extension DataRequest {
    /// Whether a cache may serve the request: the method is GET or HEAD, and there is no body.
    var isCacheRead: Bool { (method == .get || method == .head) && body == nil }
}
