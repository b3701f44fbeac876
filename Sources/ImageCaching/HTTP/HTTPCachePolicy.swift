public import HTTPTypes
public import ImageCore

/// The rules by which a private HTTP cache stores and serves responses: RFC 9111, `stale-while-revalidate` and
/// `stale-if-error` of RFC 5861, and `immutable` of RFC 8246. A value without side effects.
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
    /// If the server states no freshness lifetime: the lifetime as a fraction of the time since `Last-Modified` (RFC
    /// 9111, section 4.2.2); 0.1 by default.
    public var heuristicFraction: Double
    /// The maximum of the heuristic lifetime; a day by default.
    public var heuristicLimit: Duration
    /// The maximum lifetime of a response with an error status (400 and above), whatever its server states; 5 minutes
    /// by default. An image that was missing for a moment must not stay missing for a year.
    public var maximumErrorLifetime: Duration
    /// Whether a stale response is served while its server is unreachable, unless the server forbids it (RFC 9111,
    /// section 4.2.4); `true` by default.
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
    ///   - stored: the stored response for its URL, which is ignored if the request does not match its `Vary`; `nil`
    ///     for none.
    ///   - now: the current time in seconds since 1970.
    public func decision(for request: DataRequest, stored: StoredResponse?, now: Double) -> HTTPCacheDecision {
        let directives = RequestDirectives(request)
        let isOnlyIfCached = directives.control.onlyIfCached
        let otherwise: HTTPCacheDecision = isOnlyIfCached ? .gatewayTimeout : .fetch
        guard mode != .off, request.isCacheRead, !directives.bypasses, let stored, stored.answers(request) else {
            return otherwise
        }
        switch reuse(of: stored, directives, request.maximumAge, at: now) {
        case .serve: return .serve(reply(from: stored, at: now))
        // A request that forbids the network is not validated.
        case .serveAndValidate where isOnlyIfCached: return .serve(reply(from: stored, at: now))
        case .serveAndValidate:
            return .serveWhileRevalidating(reply(from: stored, at: now), conditionalFields(for: stored, request))
        case .validate where isOnlyIfCached: return .gatewayTimeout
        case .validate: return conditionalFields(for: stored, request).map { .revalidate($0) } ?? .fetch
        }
    }

    /// The stale reply to serve after a failure; `nil` if none may be served (RFC 9111, section 4.2.4; RFC 5861,
    /// section 4).
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
            mode == .aggressive || !stored.forbidsStale
        else { return nil }
        let staleness = stored.age(at: now) - stored.lifetime(under: self)
        let window = max(stored.control.staleIfError ?? -1, directives.control.staleIfError ?? -1)
        let isOffline = failure == .unreachable && servesStaleOffline
        guard isOffline || mode == .aggressive || window >= 0 && staleness <= Double(window) else { return nil }
        return reply(from: stored, at: now)
    }

    // MARK: Steps of a decision

    private enum Reuse {
        case serve, serveAndValidate, validate
    }

    /// Whether a response may be reused (RFC 9111, section 4).
    private func reuse(
        of response: StoredResponse, _ directives: RequestDirectives, _ maximumAge: Duration?, at now: Double
    ) -> Reuse {
        let wanted = directives.control
        if wanted.noCache { return .validate }
        if let maximumAge, response.age(at: now) >= maximumAge / .seconds(1) { return .validate }
        if mode == .aggressive { return .serve }
        if response.control.noCache { return .validate }
        let age = response.age(at: now)
        let lifetime = response.lifetime(under: self)
        let isFresh = response.isFresh(at: now, under: self)
        // A reload sends `max-age=0`; a fresh immutable response is not validated even then (RFC 8246).
        if let maxAge = wanted.maxAge, maxAge == 0 || age > Double(maxAge), !(isFresh && response.control.immutable) {
            return .validate
        }
        if let minFresh = wanted.minFresh, lifetime - age < Double(minFresh) { return .validate }
        if isFresh { return .serve }
        if response.control.mustRevalidate { return .validate }
        let staleness = age - lifetime
        if let maxStale = wanted.maxStale, maxStale == .max || staleness <= Double(maxStale) { return .serve }
        // The window is that of the final response; stale redirects may lead elsewhere by now.
        if let window = response.control.staleWhileRevalidate, staleness < Double(window),
            response.hasFreshRedirects(at: now)
        {
            return .serveAndValidate
        }
        return .validate
    }

    /// The stored response, with its age.
    func reply(from response: StoredResponse, at now: Double) -> HTTPCacheReply {
        let age = Int(min(response.age(at: now), Double(CacheControl.maximumSeconds)))
        var head = response.head
        head.headerFields[.age] = String(age)
        return HTTPCacheReply(age: age, head: head)
    }

    /// The fields of the conditional request for a stored response (RFC 9111, section 4.3.1); `nil` if that has no
    /// validator. Servers ignore preconditions unless the response is a success (RFC 9110, section 13.2.1), so a 304
    /// says nothing about a stored error or redirect.
    private func conditionalFields(for response: StoredResponse, _ request: DataRequest) -> HTTPFields? {
        guard request.method == .get, response.head.status.kind == .successful else { return nil }
        let validators = (response.head.headerFields[.eTag], response.head.headerFields[.lastModified])
        guard validators != (nil, nil) else { return nil }
        var fields = request.headerFields
        (fields[.ifNoneMatch], fields[.ifModifiedSince]) = validators
        return fields
    }
}

/// The decision of an HTTP cache about a request.
public enum HTTPCacheDecision: Hashable, Sendable {
    /// Serve the stored response.
    case serve(HTTPCacheReply)
    /// Serve the stored response, which is stale, and revalidate it in the background (RFC 5861, section 3): by a
    /// request with these fields, or by a full fetch if the response has no validator.
    case serveWhileRevalidating(HTTPCacheReply, HTTPFields?)
    /// Send a conditional request: with the fields of the request, and those that ask for another version than the
    /// stored one.
    case revalidate(HTTPFields)
    /// Send the request unchanged.
    case fetch
    /// Respond with 504: the request only accepts a stored response, and there is none (RFC 9111, section 5.2.1.7).
    case gatewayTimeout
}

/// A response that is made of a stored one. Its body is the stored one, or empty if the request is a HEAD.
public struct HTTPCacheReply: Hashable, Sendable {
    /// The age in whole seconds, which ``head`` has as `Age`.
    public var age: Int
    /// The status and the header fields of the reply.
    public var head: HTTPResponse
}

/// The reason why the server returned no usable response.
public enum HTTPCacheFailure: Hashable, Sendable {
    /// The server did not respond: the host name was not found, no connection was made, it was closed without a
    /// response, a proxy refused one, or the request timed out.
    case unreachable
    /// The server responded with this status.
    case status(Int)

    /// `nil` for errors that are neither failures of the network nor an error status.
    init?(_ error: ImageError) {
        if error.code == .httpStatus, let status = error.status { self = .status(status) } else { self.init(error.code) }
    }

    /// `nil` for errors that are not failures of the network.
    init?(_ code: ImageError.Code) {
        // The loader reports what happens before the response headers; a connection that is lost then gave no response.
        guard ImageError.Code.connectionFailures.contains(code) else { return nil }
        self = .unreachable
    }
}
