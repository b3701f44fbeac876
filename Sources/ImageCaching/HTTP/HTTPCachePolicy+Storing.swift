public import HTTPTypes
public import ImageCore

// Which responses are stored, and how later responses update them.
extension HTTPCachePolicy {
    /// Whether a response may be stored (RFC 9111, section 3).
    ///
    /// A successful response is stored if it is fresh, can be validated, or may be served stale while its server is
    /// unreachable. Any other status is stored only if it is fresh. Of the responses to a request with a range or
    /// preconditions, only a 200 is stored: the others answer that request alone.
    ///
    /// - Parameters:
    ///   - response: the response of the server.
    ///   - request: its request.
    public func allowsStoring(_ response: StoredResponse, for request: DataRequest) -> Bool {
        let status = response.head.status
        let control = response.control
        guard mode != .off, request.isCacheRead, request.method == .get, request.cachePolicy.writesDisk,
            !CacheControl(request.headerFields).noStore, !response.answersNothing, status.code >= 200,
            status != .notModified, status != .partialContent, status == .ok || !request.isConditional
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
            && (response.opaqueTag != nil || response.lastModified != nil || !response.forbidsStale)
    }

    /// The status codes that this cache understands: the final ones of RFC 9110, section 15.
    private static let understoodStatuses: Set<Int> = Set(200...206).union(300...305).union([307, 308]).union(400...417)
        .union([421, 422, 426]).union(500...505)
}

extension StoredResponse {
    /// The response after a 304 has updated it (RFC 9111, sections 3.2 and 4.3.4); `nil` if the 304 names another
    /// version.
    ///
    /// A 304 without a validator is about the version that the request named. Entity tags are compared weakly, since
    /// servers that compress bodies weaken their tags.
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
            guard opaqueTag == Self.opaqueTag(tag) else { return nil }
        } else if let modified = head.headerFields[.lastModified], let mine = self.head.headerFields[.lastModified] {
            guard modified == mine else { return nil }
        }
        return updated(by: head, to: request, requestedAt: requestedAt, receivedAt: receivedAt)
    }

    /// Whether a response that a 304 has updated must be stored again: its fields have changed, or it is fresh for some
    /// time now, as every response is whose age does not count. A response that is validated at every use is not stored
    /// again.
    func needsStore(after old: StoredResponse, under policy: HTTPCachePolicy) -> Bool {
        let isFresh = policy.mode == .aggressive || isFresh(at: receivedAt, under: policy) && !control.noCache
        return isFresh || (control.staleWhileRevalidate ?? 0) > 0 || control.staleIfError != nil
            || lastingFields != old.lastingFields
    }

    /// The header fields without those that state times.
    private var lastingFields: HTTPFields {
        HTTPFields(head.headerFields.filter { ![.date, .age, .expires].contains($0.name) })
    }

    /// The response after a response to HEAD has updated it (RFC 9111, section 4.3.5); `nil` if that names another
    /// version.
    public func freshened(
        byHead head: HTTPResponse, to request: DataRequest, requestedAt: Double, receivedAt: Double
    ) -> StoredResponse? {
        for name in [HTTPField.Name.eTag, .lastModified, .contentLength] {
            if let value = head.headerFields[name], value != self.head.headerFields[name] { return nil }
        }
        return updated(by: head, to: request, requestedAt: requestedAt, receivedAt: receivedAt)
    }

    /// The response with the age of what is stale for certain (RFC 9111, section 1.2.2), after a response to HEAD that
    /// names another version (section 4.3.5).
    var markedStale: StoredResponse {
        var old = head
        old.headerFields[.age] = String(CacheControl.maximumSeconds)
        return StoredResponse(head: old, requestedAt: requestedAt, receivedAt: receivedAt, vary: vary, redirect: redirect)
    }

    func updated(by head: HTTPResponse, to request: DataRequest, requestedAt: Double, receivedAt: Double) -> StoredResponse {
        let merged = StoredFields.head(self.head, updatedBy: head)
        return StoredResponse(
            head: merged, requestedAt: requestedAt, receivedAt: receivedAt,
            vary: VaryKey(merged.headerFields, for: request.headerFields), redirect: redirect)
    }
}
