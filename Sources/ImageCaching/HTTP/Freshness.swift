internal import HTTPTypes

// Age and freshness lifetime of a stored response (RFC 9111, section 4.2).
extension StoredResponse {
    /// The age in seconds since the server generated or validated the response (section 4.2.3).
    ///
    /// A system clock that was set back increases the age instead of decreasing it.
    func age(at now: Double) -> Double { initialAge + abs(now - receivedAt) }

    /// `corrected_initial_age` of section 4.2.3: the maximum of the apparent age and of `Age` plus the response delay. The first of
    /// several `Age` values counts; a malformed one is ignored (section 5.1).
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
        return min(policy.heuristicLimit / .seconds(1), max(0, date - lastModified) * policy.heuristicFraction)
    }

    /// Whether the response is fresh (section 4.2).
    func isFresh(at now: Double, under policy: HTTPCachePolicy) -> Bool { lifetime(under: policy) > age(at: now) }

    /// Whether this response is newer than another one by `Date` (section 4). A date that was in the future on arrival comes from a
    /// wrong clock, and proves nothing.
    func isNewer(than other: StoredResponse) -> Bool {
        guard let announcedDate, let otherDate = other.announcedDate else { return false }
        return announcedDate > otherDate && announcedDate <= receivedAt + Self.clockTolerance
    }

    /// Seconds by which the clock of a server may be ahead.
    private static let clockTolerance = 60.0

    /// Whether the status is heuristically cacheable (RFC 9110, section 15.1).
    var isHeuristicallyCacheable: Bool { Self.heuristicStatuses.contains(head.status.code) }

    private static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// Whether the response must not be served stale, even if the server cannot be reached (section 5.2.2).
    var forbidsStale: Bool { control.noCache || control.mustRevalidate }
}
