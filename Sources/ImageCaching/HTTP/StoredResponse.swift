public import HTTPTypes
public import ImageCore

/// A response as an HTTP cache keeps it, without its body: the head, when it was asked for and came, and what of the
/// request it depends on. What decisions look at again and again is read out of the fields once, when it is made.
public struct StoredResponse: Hashable, Sendable {
    /// Without the fields that a cache must not keep (RFC 9111, section 3.1).
    public let head: HTTPResponse
    /// Seconds since 1970 when the request was sent.
    public let requestedAt: Double
    /// Seconds since 1970 when the head arrived.
    public let receivedAt: Double
    /// Bytes of the body that are stored; for a part (status 206), of that part.
    public let byteCount: Int

    /// What its request had in the fields that it varies by; `nil` where it answers every request.
    let vary: VaryKey?
    /// Whether `Vary: *` keeps it from answering any request.
    let answersNothing: Bool
    /// A digest of the URL that redirects led to; `nil` where there were none. Nobody said how long the redirects hold, so
    /// that such a response is always validated.
    let redirect: String?

    let control: CacheControl
    let entityTag: EntityTag?
    let lastModified: Double?
    /// When its server made it, by its own clock; when it arrived, where it does not say.
    let date: Double
    let hasDate: Bool
    /// Seconds from `date` to `Expires`: 0 for a past or an invalid one; `nil` without the field.
    let expiresIn: Double?
    /// Age on arrival, in seconds (RFC 9111, section 4.2.3: `corrected_initial_age`).
    let initialAge: Double
    /// Where the stored bytes lie within the whole; `nil` for a whole body.
    let part: ContentRange?

    /// A response that has just arrived.
    ///
    /// - Parameters:
    ///   - request: the request that it answers.
    ///   - byteCount: of the body, which must be whole.
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
        answersNothing = VaryKey.names(in: fields) == nil
        control = CacheControl(fields)
        entityTag = fields[.eTag].map(EntityTag.init)
        lastModified = fields[.lastModified].flatMap { HTTPDate.seconds(of: $0, now: receivedAt) }
        let date = fields[.date].flatMap { HTTPDate.seconds(of: $0, now: receivedAt) }
        hasDate = date != nil
        self.date = date ?? receivedAt
        let expires = fields[values: .expires].map { HTTPDate.seconds(of: $0, now: receivedAt) }
        expiresIn = expires.isEmpty ? nil : max(0, (expires.map { $0 ?? 0 }.min() ?? 0) - self.date)
        initialAge = Self.initialAge(fields, date: date, requestedAt: requestedAt, receivedAt: receivedAt)
        part = head.status == .partialContent ? fields[.contentRange].flatMap(ContentRange.init) : nil
    }

    /// Whether the request has what the response varies by.
    func answers(_ request: DataRequest) -> Bool {
        !answersNothing && (vary?.matches(request.headerFields) ?? true)
    }

    /// Whether its body can be told from every other version byte by byte: a strong ETag, or a `Last-Modified` so long
    /// before the answer that no second version can share it (RFC 9110, section 8.8.2.2).
    var strongValidator: String? {
        if let entityTag { return entityTag.isWeak ? nil : head.headerFields[.eTag] }
        guard hasDate, let lastModified, date - lastModified >= 60 else { return nil }
        return head.headerFields[.lastModified]
    }
}
