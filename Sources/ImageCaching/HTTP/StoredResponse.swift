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
                guard head.headerFields[field.name] == field.value || StoredFields.saysNothingOfWhatIsStored(field) else {
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

/// The fields that decisions look at, gathered in one pass: a lookup by name is a pass of its own.
private struct FieldLines {
    var control = CacheControl()
    var vary: [String] = []
    var expires: [String] = []
    // Of fields that should come once, all lines in one.
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
