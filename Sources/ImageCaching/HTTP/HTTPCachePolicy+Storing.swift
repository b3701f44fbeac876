public import HTTPTypes
public import ImageCore

// Which responses are stored, and how later responses update them.
extension HTTPCachePolicy {
    /// Whether a response may be stored (RFC 9111, section 3).
    ///
    /// A successful response is stored if it is fresh, can be validated, or may be served stale while its server is unreachable.
    /// Any other status is stored only if it is fresh.
    ///
    /// - Parameters:
    ///   - response: the response of the server.
    ///   - request: its request.
    public func allowsStoring(_ response: StoredResponse, for request: DataRequest) -> Bool {
        let status = response.head.status
        let control = response.control
        guard mode != .off, request.isCacheRead, request.method == .get, request.cachePolicy.writesDisk,
            !CacheControl(request.headerFields).noStore, !response.answersNothing, status.code >= 200, status != .notModified,
            status == .partialContent ? response.part != nil : true
        else { return false }
        // With `must-understand`, a cache that understands the status ignores `no-store` (section 5.2.2.3).
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

    /// Whether a response to a POST may be stored as a response to GET (RFC 9110, section 9.3.3): it must state its freshness, and
    /// name its URL in `Content-Location`.
    func allowsStoringPost(_ response: StoredResponse, for request: DataRequest, contentLocation: URL?) -> Bool {
        guard mode == .standard, response.control.maxAge != nil || response.expiresIn != nil, let contentLocation,
            ImageRequest(url: contentLocation).resource == ImageRequest(url: request.url).resource
        else { return false }
        var read = request
        (read.method, read.body) = (.get, nil)
        return response.head.status == .ok && allowsStoring(response, for: read)
    }

    /// The status codes that this cache understands: the final ones of RFC 9110, section 15.
    private static let understoodStatuses: Set<Int> = Set(200...206).union(300...305).union([307, 308]).union(400...417)
        .union([421, 422, 426]).union(500...505)

    /// The reply for a response that the server has just validated.
    func reply(ofConfirmed response: StoredResponse, to request: DataRequest, at now: Double) -> HTTPCacheReply? {
        guard response.answers(request), let content = content(from: response, to: request) else { return nil }
        return reply(content, from: response, to: request, at: now)
    }
}

extension StoredResponse {
    /// The response after a 304 has updated it (RFC 9111, sections 3.2 and 4.3.4); `nil` if the 304 names another version.
    ///
    /// A 304 without a validator is about the version that the request named. Entity tags are compared weakly, since servers that
    /// compress bodies weaken their tags.
    ///
    /// - Parameters:
    ///   - head: the status and header fields of the 304.
    ///   - request: the request that the response answers from now on.
    ///   - requestedAt: when the request for the 304 was sent, in seconds since 1970.
    ///   - receivedAt: when the 304 arrived, in seconds since 1970.
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

    /// Whether a response that a 304 has updated must be stored again: its fields have changed, or it is fresh for some time now.
    /// A response that is validated at every use is not stored again.
    func needsStore(after old: StoredResponse, under policy: HTTPCachePolicy) -> Bool {
        let isFresh = lifetime(under: policy) > initialAge && !control.noCache && redirect == nil
        return isFresh || (control.staleWhileRevalidate ?? 0) > 0 || control.staleIfError != nil
            || lastingFields != old.lastingFields
    }

    /// The header fields without those that state times.
    private var lastingFields: HTTPFields {
        HTTPFields(head.headerFields.filter { ![.date, .age, .expires].contains($0.name) })
    }

    /// The response after a response to HEAD has updated it (RFC 9111, section 4.3.5); `nil` if that names another version.
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

    /// Combines this part of a body with a following part of the same version (RFC 9110, section 15.3.7.3). Returns the combined
    /// response and the number of bytes that both parts have; `nil` if the parts are not adjacent.
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
