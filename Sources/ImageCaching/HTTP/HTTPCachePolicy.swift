internal import HTTPTypes
public import ImageCore

/// How a private HTTP cache keeps and uses responses: RFC 9111 with the preconditions of RFC 9110, `stale-while-revalidate`
/// and `stale-if-error` of RFC 5861, and `immutable` of RFC 8246. A value: it is given the time, and does nothing itself.
///
/// ```swift
/// func mayBeShown(_ response: StoredResponse, for request: DataRequest, now: Double) -> Bool {
///     if case .serve = HTTPCachePolicy.standard.decision(for: request, stored: [response], now: now) { true } else { false }
/// }
/// ```
public struct HTTPCachePolicy: Hashable, Sendable {
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// As the RFCs say.
        case standard
        /// What is stored is used whatever its age, and every picture is stored that its server does not forbid to store.
        case aggressive
        /// Nothing is stored and nothing stored is used.
        case off
    }

    public var mode: Mode
    /// Where a server gives no time of life: the share of the time since `Last-Modified` that a response counts as fresh
    /// (RFC 9111, section 4.2.2); 0.1.
    public var heuristicShare: Double
    /// The longest that such a response counts as fresh, in seconds; a day.
    public var heuristicLimit: Double
    /// The longest that a response with an error status (400 and above) counts as fresh, in seconds, whatever its server says;
    /// 300. An image that was missing for a moment must not stay missing for a year.
    public var maximumErrorLifetime: Double
    /// Whether a response that is past its time is used while its server cannot be reached, unless the server forbids it
    /// (RFC 9111, section 4.2.4); `true`.
    public var servesStaleOffline: Bool

    public init(
        mode: Mode = .standard, heuristicShare: Double = 0.1, heuristicLimit: Double = 86_400,
        maximumErrorLifetime: Double = 300, servesStaleOffline: Bool = true
    ) {
        self.mode = mode
        self.heuristicShare = heuristicShare
        self.heuristicLimit = heuristicLimit
        self.maximumErrorLifetime = maximumErrorLifetime
        self.servesStaleOffline = servesStaleOffline
    }

    /// As the RFCs say.
    public static let standard = HTTPCachePolicy()
    /// Ignores how long responses are fresh, and keeps what fits: for pictures whose URLs change with their content.
    public static let aggressive = HTTPCachePolicy(mode: .aggressive)
    /// No HTTP cache.
    public static let off = HTTPCachePolicy(mode: .off)

    /// What to do with a request, given what is stored for its URL.
    ///
    /// - Parameters:
    ///   - stored: in any order; those of other variants are passed over.
    ///   - now: seconds since 1970.
    public func decision(for request: DataRequest, stored: [StoredResponse], now: Double) -> HTTPCacheDecision {
        let wish = RequestDirectives(request)
        let otherwise: HTTPCacheDecision = wish.onlyIfCached ? .gatewayTimeout : .fetch
        guard mode != .off, request.isCacheRead, !wish.bypasses, let choice = choice(of: stored, for: request) else {
            return otherwise
        }
        let response = stored[choice.index]
        let use = use(of: response, wish, at: now)
        if let answer = choice.answer, use != .validate {
            let reply = reply(answer, from: response, index: choice.index, to: request, at: now)
            guard use == .serveAndValidate else { return .serve(reply) }
            // Who wants no network has what there is.
            guard !wish.onlyIfCached, let validation = validation(of: response, choice, for: request) else {
                return .serve(reply)
            }
            return .serveWhileRevalidating(reply, validation)
        }
        guard !wish.onlyIfCached, let validation = validation(of: response, choice, for: request) else { return otherwise }
        return .revalidate(validation)
    }

    /// The stored response that stands in for an answer that could not be had, if one may (RFC 9111, section 4.2.4; RFC
    /// 5861, section 4).
    public func standIn(
        for request: DataRequest, stored: [StoredResponse], after failure: HTTPCacheFailure, now: Double
    ) -> HTTPCacheReply? {
        if case .status(let code) = failure, ![500, 502, 503, 504].contains(code) { return nil }
        let wish = RequestDirectives(request)
        guard mode != .off, request.isCacheRead, !wish.bypasses, !wish.noCache, let choice = choice(of: stored, for: request),
            let answer = choice.answer
        else { return nil }
        let response = stored[choice.index]
        guard mode == .aggressive || !response.forbidsStale else { return nil }
        let staleness = response.age(at: now) - response.lifetime(under: self)
        let window = max(response.control.staleIfError ?? -1, wish.staleIfError ?? -1)
        let isOffline = failure == .unreachable && servesStaleOffline
        guard isOffline || mode == .aggressive || window >= 0 && staleness <= Double(window) else { return nil }
        return reply(answer, from: response, index: choice.index, to: request, at: now)
    }
}

extension DataRequest {
    /// Whether the method is one that is answered from a cache, and no body changes what is asked for.
    var isCacheRead: Bool { (method == .get || method == .head) && body == nil }
}
