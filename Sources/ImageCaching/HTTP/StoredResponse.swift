public import HTTPTypes
public import ImageCore

/// The headers of a stored HTTP response, the times of its request and arrival, and the request fields that it depends on. The
/// fields that decisions need are parsed once, on creation.
public struct StoredResponse: Hashable, Sendable {
    /// The status and the header fields, without those that a cache must not store (RFC 9111, section 3.1).
    public let head: HTTPResponse
    /// Seconds since 1970 when the request was sent.
    public let requestedAt: Double
    /// Seconds since 1970 when the response headers arrived.
    public let receivedAt: Double
    /// The number of stored bytes of the body; for a part (status 206), of that part.
    public internal(set) var byteCount: Int

    /// The request fields that `Vary` lists; `nil` if the response does not vary.
    let vary: VaryKey?
    /// Whether `Vary: *` prevents any match.
    let answersNothing: Bool
    /// A digest of the URL that redirects led to; `nil` without redirects. The lifetime of the redirects is unknown, so such a
    /// response is always validated.
    var redirect: String?

    let control: CacheControl
    let entityTag: EntityTag?
    let lastModified: Double?
    /// The `Date` field in seconds since 1970.
    let announcedDate: Double?
    /// Seconds from `date` to `Expires`: 0 for a past or an invalid one; `nil` without the field.
    let expiresIn: Double?
    /// Age on arrival, in seconds (RFC 9111, section 4.2.3: `corrected_initial_age`).
    let initialAge: Double
    /// The range of the stored bytes in the whole body; `nil` for a whole body.
    let part: ContentRange?

    /// Creates a stored response from one that has just arrived.
    ///
    /// - Parameters:
    ///   - head: the status and the header fields.
    ///   - request: the request of the response.
    ///   - requestedAt: when the request was sent, in seconds since 1970.
    ///   - receivedAt: when the response headers arrived, in seconds since 1970.
    ///   - byteCount: the length of the body in bytes, which must be complete.
    public init(_ head: HTTPResponse, to request: DataRequest, requestedAt: Double, receivedAt: Double, byteCount: Int) {
        self.init(
            head: StoredFields.head(from: head), requestedAt: requestedAt, receivedAt: receivedAt, byteCount: byteCount,
            vary: VaryKey(head.headerFields, for: request.headerFields), redirect: nil)
    }

    init(
        head: HTTPResponse, requestedAt: Double, receivedAt: Double, byteCount: Int, vary: VaryKey?, redirect: String?
    ) {
        let fields = head.headerFields
        self.head = head
        self.requestedAt = requestedAt
        self.receivedAt = receivedAt
        self.byteCount = byteCount
        self.vary = vary
        self.redirect = redirect
        answersNothing = VaryKey.names(in: fields[values: .vary]) == nil
        control = CacheControl(fields)
        entityTag = fields[.eTag].map(EntityTag.init)
        lastModified = fields[.lastModified].flatMap { HTTPDate.seconds(of: $0, now: receivedAt) }
        let date = fields[.date].flatMap { HTTPDate.seconds(of: $0, now: receivedAt) }
        announcedDate = date
        let expires = fields[values: .expires].map { HTTPDate.seconds(of: $0, now: receivedAt) ?? 0 }.min()
        expiresIn = expires.map { max(0, $0 - (date ?? receivedAt)) }
        initialAge = Self.initialAge(fields[.age], date: date, requestedAt: requestedAt, receivedAt: receivedAt)
        part = head.status == .partialContent ? fields[.contentRange].flatMap(ContentRange.init) : nil
    }

    /// A digest of the URL that redirects led to; `nil` without redirects.
    static func redirect(from first: URL, to final: URL) -> String? {
        if final == first { return nil }
        let (final, first) = (ImageRequest(url: final).resource, ImageRequest(url: first).resource)
        return final == first ? nil : SHA256.hexDigest(of: Array(final.text.utf8))
    }

    /// The `Date` field, or the time of arrival if it is missing.
    var date: Double { announcedDate ?? receivedAt }

    /// Whether the request matches the `Vary` field of the response.
    func answers(_ request: DataRequest) -> Bool {
        !answersNothing && (vary?.matches(request.headerFields) ?? true)
    }

    /// The entity tag, if it identifies one body (RFC 9110, section 8.8.3); `nil` if it is missing, weak or malformed.
    var strongTag: String? { head.headerFields[.eTag].flatMap { VariantList.isListed($0) ? $0 : nil } }

    /// A validator that changes with every byte of the body: a strong ETag, or a `Last-Modified` at least a minute before `Date`
    /// (RFC 9110, section 8.8.2.2); `nil` if there is none.
    var strongValidator: String? {
        if let entityTag { return entityTag.isWeak ? nil : head.headerFields[.eTag] }
        guard let lastModified, let announcedDate, announcedDate - lastModified >= 60 else { return nil }
        return head.headerFields[.lastModified]
    }
}
