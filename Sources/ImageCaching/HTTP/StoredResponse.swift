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
    public let byteCount: Int

    /// The request fields that `Vary` lists; `nil` if the response does not vary.
    let vary: VaryKey?
    /// Whether `Vary: *` prevents any match.
    let answersNothing: Bool
    /// A digest of the URL that redirects led to; `nil` without redirects. The lifetime of the redirects is unknown, so such a
    /// response is always validated.
    let redirect: String?

    let control: CacheControl
    let entityTag: EntityTag?
    let lastModified: Double?
    /// The `Date` field in seconds since 1970; the time of arrival if it is missing.
    let date: Double
    let hasDate: Bool
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
        let lines = FieldLines(head.headerFields)
        self.head = head
        self.requestedAt = requestedAt
        self.receivedAt = receivedAt
        self.byteCount = byteCount
        self.vary = vary
        self.redirect = redirect
        answersNothing = VaryKey.names(in: lines.vary) == nil
        control = lines.control
        entityTag = lines.entityTag.map(EntityTag.init)
        lastModified = lines.lastModified.flatMap { HTTPDate.seconds(of: $0, now: receivedAt) }
        let date = lines.date.flatMap { HTTPDate.seconds(of: $0, now: receivedAt) }
        hasDate = date != nil
        self.date = date ?? receivedAt
        let expires = lines.expires.map { HTTPDate.seconds(of: $0, now: receivedAt) }
        expiresIn = expires.isEmpty ? nil : max(0, (expires.map { $0 ?? 0 }.min() ?? 0) - self.date)
        initialAge = Self.initialAge(lines.age, date: date, requestedAt: requestedAt, receivedAt: receivedAt)
        part = head.status == .partialContent ? lines.contentRange.flatMap(ContentRange.init) : nil
    }

    /// The response as a 304 freshens it that repeats what is known, but for the time: nearly all do, and what was read out of
    /// the fields once need not be read again. `nil` where it says more than that; then it is `validated` at length.
    func repeated(by answer: HTTPResponse, requestedAt: Double, receivedAt: Double) -> StoredResponse? {
        guard expiresIn == nil else { return nil }
        var (date, age): (String?, String?)
        for field in answer.headerFields {
            switch field.name {
            case .date where date == nil: date = field.value
            case .age where age == nil: age = field.value
            case .date, .age, .expires: return nil
            default:
                guard head.headerFields[field.name] == field.value || StoredFields.isConnectionOrBodyField(field) else {
                    return nil
                }
            }
        }
        var head = head
        if let date { head.headerFields[.date] = date }
        head.headerFields[.age] = age
        return StoredResponse(self, head: head, requestedAt: requestedAt, receivedAt: receivedAt, date: date, age: age)
    }

    /// `old`, which differs in nothing but times.
    private init(
        _ old: StoredResponse, head: HTTPResponse, requestedAt: Double, receivedAt: Double, date: String?, age: String?
    ) {
        self.head = head
        self.requestedAt = requestedAt
        self.receivedAt = receivedAt
        (byteCount, vary, redirect, answersNothing) = (old.byteCount, old.vary, old.redirect, old.answersNothing)
        (control, entityTag, lastModified, part) = (old.control, old.entityTag, old.lastModified, old.part)
        let known = old.hasDate ? old.date : nil
        let date = date.map { HTTPDate.seconds(of: $0, now: receivedAt) } ?? known
        hasDate = date != nil
        self.date = date ?? receivedAt
        expiresIn = nil
        initialAge = Self.initialAge(age, date: date, requestedAt: requestedAt, receivedAt: receivedAt)
    }

    /// Whether the request matches the `Vary` field of the response.
    func answers(_ request: DataRequest) -> Bool {
        !answersNothing && (vary?.matches(request.headerFields) ?? true)
    }

    /// A validator that changes with every byte of the body: a strong ETag, or a `Last-Modified` at least a minute before `Date`
    /// (RFC 9110, section 8.8.2.2); `nil` if there is none.
    var strongValidator: String? {
        if let entityTag { return entityTag.isWeak ? nil : head.headerFields[.eTag] }
        guard hasDate, let lastModified, date - lastModified >= 60 else { return nil }
        return head.headerFields[.lastModified]
    }
}

/// The fields that decisions need, collected in one pass.
private struct FieldLines {
    var control = CacheControl()
    var vary: [String] = []
    var expires: [String] = []
    // All values of a field that should occur once, joined.
    var entityTag: String?
    var lastModified: String?
    var date: String?
    var age: String?
    var contentRange: String?

    init(_ fields: HTTPFields) {
        for field in fields {
            switch field.name.canonicalName {
            case "cache-control": control.add(field.value)
            case "vary": vary.append(field.value)
            case "expires": expires.append(field.value)
            case "etag": entityTag = Self.joined(entityTag, field.value)
            case "last-modified": lastModified = Self.joined(lastModified, field.value)
            case "date": date = Self.joined(date, field.value)
            case "age": age = Self.joined(age, field.value)
            case "content-range": contentRange = Self.joined(contentRange, field.value)
            default: break
            }
        }
    }

    private static func joined(_ before: String?, _ line: String) -> String { before.map { $0 + ", " + line } ?? line }
}
