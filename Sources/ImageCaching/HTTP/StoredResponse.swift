public import HTTPTypes
public import ImageCore

/// The headers of a stored HTTP response, the times of its request and arrival, and the request fields that it depends
/// on. The fields that decisions need are parsed once, on creation.
public struct StoredResponse: Hashable, Sendable {
    /// The status and the header fields, without those that a cache must not store (RFC 9111, section 3.1).
    public let head: HTTPResponse
    /// Seconds since 1970 when the request was sent.
    public let requestedAt: Double
    /// Seconds since 1970 when the response headers arrived.
    public let receivedAt: Double

    /// The request fields that `Vary` lists; `nil` if the response does not vary.
    let vary: VaryKey?
    /// Whether `Vary: *` prevents any match.
    let answersNothing: Bool
    /// Where redirects led; `nil` without redirects.
    var redirect: ResponseRedirect?

    let control: CacheControl
    /// What entity tags are compared by.
    let opaqueTag: String?
    let lastModified: Double?
    /// The `Date` field in seconds since 1970.
    let announcedDate: Double?
    /// Seconds from `date` to `Expires`: 0 for a past or an invalid one; `nil` without the field.
    let expiresIn: Double?
    /// Age on arrival, in seconds (RFC 9111, section 4.2.3: `corrected_initial_age`).
    let initialAge: Double

    /// Creates a stored response from one that has just arrived.
    ///
    /// - Parameters:
    ///   - head: the status and the header fields.
    ///   - request: the request of the response.
    ///   - requestedAt: when the request was sent, in seconds since 1970.
    ///   - receivedAt: when the response headers arrived, in seconds since 1970.
    public init(_ head: HTTPResponse, to request: DataRequest, requestedAt: Double, receivedAt: Double) {
        self.init(
            head: StoredFields.head(from: head), requestedAt: requestedAt, receivedAt: receivedAt,
            vary: VaryKey(head.headerFields, for: request.headerFields), redirect: nil)
    }

    init(head: HTTPResponse, requestedAt: Double, receivedAt: Double, vary: VaryKey?, redirect: ResponseRedirect?) {
        let fields = head.headerFields
        self.head = head
        (self.requestedAt, self.receivedAt, self.vary, self.redirect) = (requestedAt, receivedAt, vary, redirect)
        answersNothing = VaryKey.names(in: fields[values: .vary]) == nil
        control = CacheControl(fields)
        opaqueTag = fields[.eTag].map(Self.opaqueTag)
        lastModified = fields[.lastModified].flatMap { HTTPDate.seconds(of: $0, now: receivedAt) }
        let date = fields[.date].flatMap { HTTPDate.seconds(of: $0, now: receivedAt) }
        announcedDate = date
        let expires = fields[values: .expires].map { HTTPDate.seconds(of: $0, now: receivedAt) ?? 0 }.min()
        expiresIn = expires.map { max(0, $0 - (date ?? receivedAt)) }
        initialAge = Self.initialAge(fields[.age], date: date, requestedAt: requestedAt, receivedAt: receivedAt)
    }

    /// Remembers where redirects led; `nil` without redirects.
    ///
    /// - Parameters:
    ///   - hops: the responses that redirected.
    ///   - times: of the request and of the final response.
    static func redirect(
        from first: URL, to final: URL, by hops: [HTTPResponse], requestedAt: Double, receivedAt: Double,
        under policy: HTTPCachePolicy
    ) -> ResponseRedirect? {
        if final == first { return nil }
        let (target, source) = (ImageRequest(url: final).resource, ImageRequest(url: first).resource)
        if target == source { return nil }
        let lifetimes = hops.map { hop in
            StoredResponse(head: hop, requestedAt: requestedAt, receivedAt: receivedAt, vary: nil, redirect: nil)
                .lifetimeAsRedirect(under: policy)
        }
        return ResponseRedirect(
            target: SHA256.hexDigest(of: Array(target.text.utf8)),
            place: SHA256.hexDigest(of: Array(target.text.prefix { $0 != "?" }.utf8)),
            freshUntil: lifetimes.min().map { $0 > 0 ? receivedAt + $0 : 0 } ?? 0)
    }

    /// How long the redirect may be reused from its arrival on, in seconds. A permanent one without a stated lifetime
    /// is reused for as long as heuristics allow (RFC 9110, section 15.1).
    private func lifetimeAsRedirect(under policy: HTTPCachePolicy) -> Double {
        let varies =
            VaryKey.names(in: head.headerFields[values: .vary])?.contains { !Self.fieldsOfNoRedirect.contains($0) } ?? true
        guard !varies, !control.noStore, !control.noCache else { return 0 }
        let isPermanent = head.status.code == 301 || head.status.code == 308
        let isStated = control.maxAge != nil || expiresIn != nil || lastModified != nil
        let lifetime = isPermanent && !isStated ? policy.heuristicLimit / .seconds(1) : lifetime(under: policy)
        return lifetime - initialAge
    }

    /// Request fields by which a redirect may vary although they are the same for all requests for an image.
    private static let fieldsOfNoRedirect: Set<String> = ["accept-encoding", "origin"]

    /// Whether a 304 that came by other redirects is about this response: it came from the same place, whose URL has
    /// a new signature, and a strong entity tag tells all versions apart there (RFC 9110, section 8.8.1).
    func isConfirmed(by redirect: ResponseRedirect?) -> Bool {
        if redirect?.target == self.redirect?.target { return true }
        let isStrong = head.headerFields[.eTag].map { $0.hasPrefix("\"") } ?? false
        return isStrong && redirect?.place != nil && redirect?.place == self.redirect?.place
    }

    /// The text between the quotes of an entity tag, weak or not (RFC 9110, section 8.8.3); a tag without quotes is
    /// accepted as it is.
    static func opaqueTag(_ text: String) -> String {
        var rest = text[...]
        if rest.hasPrefix("W/") || rest.hasPrefix("w/") { rest = rest.dropFirst(2) }
        if rest.count >= 2, rest.hasPrefix("\""), rest.hasSuffix("\"") { rest = rest.dropFirst().dropLast() }
        return String(rest)
    }

    /// Whether the request matches the `Vary` field of the response.
    func answers(_ request: DataRequest) -> Bool {
        !answersNothing && (vary?.matches(request.headerFields) ?? true)
    }

    /// Whether a body of this length is whole, as far as the response headers say.
    func isWhole(byteCount: Int) -> Bool {
        head.status != .partialContent
            && head.headerFields[values: .contentLength].allSatisfy { ContentLength.bytes(of: $0) == byteCount }
    }
}

// Age and freshness lifetime (RFC 9111, section 4.2).
extension StoredResponse {
    /// The age in seconds since the server generated or validated the response (section 4.2.3).
    ///
    /// A system clock that was set back increases the age instead of decreasing it.
    func age(at now: Double) -> Double { initialAge + abs(now - receivedAt) }

    /// `corrected_initial_age` of section 4.2.3: the maximum of the apparent age and of `Age` plus the response delay.
    /// The first of several `Age` values counts; a malformed one is ignored (section 5.1).
    static func initialAge(_ age: String?, date: Double?, requestedAt: Double, receivedAt: Double) -> Double {
        let apparent = date.map { max(0, receivedAt - $0) } ?? 0
        let announced = age.flatMap { FieldList.members($0).first }.flatMap(CacheControl.seconds) ?? 0
        return max(apparent, Double(announced) + max(0, receivedAt - requestedAt))
    }

    /// The freshness lifetime in seconds (section 4.2.1). `s-maxage` is for shared caches.
    func lifetime(under policy: HTTPCachePolicy) -> Double {
        let lifetime = announcedLifetime(under: policy)
        return head.status.code < 400 ? lifetime : min(lifetime, policy.maximumErrorLifetime / .seconds(1))
    }

    private func announcedLifetime(under policy: HTTPCachePolicy) -> Double {
        if let maxAge = control.maxAge { return Double(maxAge) }
        if let expiresIn { return expiresIn }
        // The heuristic of section 4.2.2: a resource that has not changed for long will probably not change soon.
        guard let lastModified, isHeuristicallyCacheable || control.isPublic else { return 0 }
        let date = announcedDate ?? receivedAt
        return min(policy.heuristicLimit / .seconds(1), max(0, date - lastModified) * policy.heuristicFraction)
    }

    /// Whether the response is fresh (section 4.2), and so are the redirects that led to it.
    func isFresh(at now: Double, under policy: HTTPCachePolicy) -> Bool {
        lifetime(under: policy) > age(at: now) && hasFreshRedirects(at: now)
    }

    /// Whether the redirects that led to the response may be reused, if there were any.
    func hasFreshRedirects(at now: Double) -> Bool {
        redirect.map { receivedAt <= now && now < $0.freshUntil } ?? true
    }

    /// Whether this response is newer than another one by `Date` (section 4). A date that was in the future on arrival
    /// comes from a wrong clock, and proves nothing.
    func isNewer(than other: StoredResponse) -> Bool {
        guard let announcedDate, let otherDate = other.announcedDate else { return false }
        return announcedDate > otherDate && announcedDate <= receivedAt + Self.clockTolerance
    }

    /// Seconds by which the clock of a server may be ahead.
    private static let clockTolerance = 60.0

    /// Whether the status is heuristically cacheable (RFC 9110, section 15.1).
    var isHeuristicallyCacheable: Bool { Self.heuristicStatuses.contains(head.status.code) }

    private static let heuristicStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

    /// Whether the response must not be served stale, even if the server cannot be reached (section 5.2.2).
    var forbidsStale: Bool { control.noCache || control.mustRevalidate }
}
