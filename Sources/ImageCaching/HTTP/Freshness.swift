internal import HTTPTypes

// How old a stored response is, and how old it may become (RFC 9111, section 4.2).
extension StoredResponse {
    /// Seconds since its server made or validated it, as far as can be told (section 4.2.3).
    ///
    /// A clock that was set back since makes it older, not younger.
    func age(at now: Double) -> Double { initialAge + abs(now - receivedAt) }

    /// `corrected_initial_age` of section 4.2.3: what the server's clock says or what `Age` and the way took, whichever is
    /// more. Of several ages the first counts; one that is no number does not (section 5.1).
    static func initialAge(_ age: String?, date: Double?, requestedAt: Double, receivedAt: Double) -> Double {
        let apparent = date.map { max(0, receivedAt - $0) } ?? 0
        let announced = age.flatMap { FieldList.members($0).first }.flatMap(CacheControl.seconds) ?? 0
        return max(apparent, Double(announced) + max(0, receivedAt - requestedAt))
    }

    /// Seconds of age up to which it is fresh (section 4.2.1). `s-maxage` is for shared caches.
    func lifetime(under policy: HTTPCachePolicy) -> Double {
        let lifetime = announcedLifetime(under: policy)
        return head.status.code < 400 ? lifetime : min(lifetime, policy.maximumErrorLifetime)
    }

    private func announcedLifetime(under policy: HTTPCachePolicy) -> Double {
        if let maxAge = control.maxAge { return Double(maxAge) }
        if let expiresIn { return expiresIn }
        // A guess, where the server says nothing (section 4.2.2): what has not changed for long will not change soon.
        guard let lastModified, isHeuristicallyCacheable || control.isPublic else { return 0 }
        return min(policy.heuristicLimit, max(0, date - lastModified) * policy.heuristicShare)
    }

    /// Whether the status may be kept without being told so (RFC 9110, section 15.1).
    var isHeuristicallyCacheable: Bool { Self.heuristicStatuses.contains(head.status.code) }

    private static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// Whether it must never be used stale, not even when the server cannot be asked (section 5.2.2).
    var forbidsStale: Bool { control.noCache || control.mustRevalidate }
}
