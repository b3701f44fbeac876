public import HTTPTypes
public import ImageCore

// What is stored, and how later answers change it.
extension HTTPCachePolicy {
    /// Whether a response is kept (RFC 9111, section 3).
    ///
    /// A success is kept where it may be used now, or can be validated, or may stand in while its server is away. Any other
    /// status is kept only while it is fresh.
    public func keeps(_ response: StoredResponse, to request: DataRequest) -> Bool {
        let status = response.head.status
        let control = response.control
        guard mode != .off, request.isCacheRead, request.method == .get, request.cachePolicy.writesDisk,
            !CacheControl(request.headerFields).noStore, !response.answersNothing, status.code >= 200, status != .notModified,
            status == .partialContent ? response.part != nil : true
        else { return false }
        // A cache that knows the status goes by what it means, not by `no-store` (section 5.2.2.3).
        let isUnderstood = Self.understoodStatuses.contains(status.code)
        guard control.mustUnderstand ? isUnderstood : !control.noStore else { return false }
        if mode == .aggressive { return status.kind == .successful }
        let isAllowed =
            control.isPublic || control.isPrivate || control.maxAge != nil || response.expiresIn != nil
            || response.isHeuristicallyCacheable
        guard isAllowed else { return false }
        if response.lifetime(under: self) > response.initialAge { return true }
        return status.kind == .successful
            && (response.entityTag != nil || response.lastModified != nil || !response.forbidsStale)
    }

    /// Whether a response to a POST is kept as the answer to a GET (RFC 9110, section 9.3.3): it must say how long, and that
    /// it is what the URL has.
    func keepsAsRead(_ response: StoredResponse, to request: DataRequest, contentLocation: URL?) -> Bool {
        guard mode == .standard, response.control.maxAge != nil || response.expiresIn != nil, let contentLocation,
            ImageRequest(url: contentLocation).resource == ImageRequest(url: request.url).resource
        else { return false }
        var read = request
        (read.method, read.body) = (.get, nil)
        return response.head.status == .ok && keeps(response, to: read)
    }

    /// The statuses whose meaning for a cache is known here: those of RFC 9110, section 15, that are final.
    private static let understoodStatuses: Set<Int> = Set(200...206).union(300...305).union([307, 308]).union(400...417)
        .union([421, 422, 426]).union(500...505)

    /// The reply made of a response that the server has just confirmed.
    func reply(ofConfirmed response: StoredResponse, to request: DataRequest, at now: Double) -> HTTPCacheReply? {
        guard let choice = choice(of: [response], for: request), let answer = choice.answer else { return nil }
        return reply(answer, from: response, index: 0, to: request, at: now)
    }
}

extension StoredResponse {
    /// The response as a 304 freshens it (RFC 9111, sections 3.2 and 4.3.4); `nil` where that speaks of another version.
    ///
    /// A 304 without any validator is about the one version that it was asked about. Tags are compared weakly: servers
    /// that compress on the way weaken their own.
    ///
    /// - Parameter request: the one that the response then answers.
    public func validated(
        by head: HTTPResponse, to request: DataRequest, requestedAt: Double, receivedAt: Double
    ) -> StoredResponse? {
        if let tag = head.headerFields[.eTag] {
            guard entityTag?.matchesWeakly(EntityTag(tag)) == true else { return nil }
        } else if let modified = head.headerFields[.lastModified], let mine = self.head.headerFields[.lastModified] {
            guard modified == mine else { return nil }
        }
        return updated(by: head, to: request, requestedAt: requestedAt, receivedAt: receivedAt)
    }

    /// Whether a later use could tell this response, which a 304 has freshened, from the one before: by its fields, or because
    /// it may be used for some time now. What only grew younger, and is validated at its next use as before, is the same.
    func tellsMore(than old: StoredResponse, under policy: HTTPCachePolicy) -> Bool {
        hasTime(under: policy) || lastingFields != old.lastingFields
    }

    /// Whether it may be used for some time now.
    func hasTime(under policy: HTTPCachePolicy) -> Bool {
        let isUsable = lifetime(under: policy) > initialAge && !control.noCache && redirect == nil
        return isUsable || (control.staleWhileRevalidate ?? 0) > 0 || control.staleIfError != nil
    }

    /// The fields without those that say when it was made.
    private var lastingFields: HTTPFields {
        HTTPFields(head.headerFields.filter { ![.date, .age, .expires].contains($0.name) })
    }

    /// The response as an answer to HEAD freshens it (RFC 9111, section 4.3.5); `nil` where that shows another version.
    public func freshened(
        byHead head: HTTPResponse, to request: DataRequest, requestedAt: Double, receivedAt: Double
    ) -> StoredResponse? {
        for name in [HTTPField.Name.eTag, .lastModified, .contentLength] {
            if let value = head.headerFields[name], value != self.head.headerFields[name] { return nil }
        }
        return updated(by: head, to: request, requestedAt: requestedAt, receivedAt: receivedAt)
    }

    func updated(by head: HTTPResponse, to request: DataRequest, requestedAt: Double, receivedAt: Double) -> StoredResponse {
        let merged = StoredFields.head(self.head, updatedBy: head)
        return StoredResponse(
            head: merged, requestedAt: requestedAt, receivedAt: receivedAt, byteCount: byteCount,
            vary: VaryKey(merged.headerFields, for: request.headerFields), redirect: redirect)
    }

    /// The head of the whole, or of a longer part, that this part and another of the same version make (RFC 9110, section
    /// 15.3.7.3), and how much of the other's beginning this one has already; `nil` where they do not meet.
    func joined(with next: StoredResponse) -> (response: StoredResponse, overlap: Int)? {
        guard let validator = strongValidator, validator == next.strongValidator, let part, let other = next.part,
            part.total == other.total || part.total == nil || other.total == nil,
            part.positions.lowerBound <= other.positions.lowerBound, other.positions.lowerBound <= part.positions.upperBound,
            part.positions.upperBound < other.positions.upperBound
        else { return nil }
        let total = part.total ?? other.total
        let positions = part.positions.lowerBound..<other.positions.upperBound
        var head = StoredFields.head(self.head, updatedBy: next.head)
        head.headerFields[.contentLength] = String(positions.count)
        if positions.lowerBound == 0, positions.upperBound == total {
            head.status = .ok
            head.headerFields[.contentRange] = nil
        } else {
            head.headerFields[.contentRange] = ContentRange(positions: positions, total: total).text
        }
        let joined = StoredResponse(
            head: head, requestedAt: next.requestedAt, receivedAt: next.receivedAt, byteCount: positions.count, vary: next.vary,
            redirect: next.redirect)
        return (joined, part.positions.upperBound - other.positions.lowerBound)
    }
}
