internal import HTTPTypes
internal import ImageCore

/// The first bytes of a body whose transfer was interrupted (RFC 9110, sections 13 and 14).
struct PartialBody: Sendable, Equatable {
    /// The response headers of the complete response.
    var head: HTTPResponse
    var bytes: Data

    /// Whether the response can be resumed: it has a strong validator, a known length, and a server that accepts ranges
    /// of just these bytes.
    static func canResume(_ head: HTTPResponse) -> Bool {
        head.status == .ok && validator(in: head) != nil && length(in: head) != nil && head.headerFields[.contentEncoding] == nil
            && head.headerFields[.acceptRanges]?.lowercased() == "bytes"
    }

    /// A strong ETag, or a `Last-Modified` so long before the response that no second version can share it (RFC 9110,
    /// section 8.8.2.2).
    static func validator(in head: HTTPResponse) -> String? {
        if let tag = head.headerFields[.eTag] { return tag.hasPrefix("\"") ? tag : nil }
        guard let modified = head.headerFields[.lastModified],
            let answered = head.headerFields[.date].flatMap({ HTTPDate.seconds(of: $0, now: thisCentury) }),
            let written = HTTPDate.seconds(of: modified, now: answered), answered - written >= 60
        else { return nil }
        return modified
    }

    /// The reference date for years of two digits in dates of the oldest form, up to 2050. It is fixed, so that the
    /// validator of a response never changes.
    private static let thisCentury = 946_684_800.0

    static func length(in head: HTTPResponse) -> Int? {
        head.headerFields[.contentLength].flatMap(ContentLength.bytes).flatMap { $0 > 0 ? $0 : nil }
    }

    /// The point from which to resume.
    var end: ResumePoint { ResumePoint(head: head, count: bytes.count) }
}

/// The point in a body from which another request can resume.
struct ResumePoint: Sendable, Equatable {
    /// The response headers of the complete response.
    var head: HTTPResponse
    /// The bytes before it.
    var count: Int

    /// The header fields of a request for the rest.
    var requestFields: [(HTTPField.Name, String)] {
        [(.range, "bytes=\(count)-"), (.ifRange, PartialBody.validator(in: head) ?? "")]
    }

    enum Match: Hashable {
        /// The rest of the same body.
        case rest
        /// The complete body: the resource changed, or the server serves no ranges.
        case whole
        /// Another range than the requested one, or none: send the request again without a range.
        case unusable
        /// Another response, such as an error of the server; the partial body stays useful.
        case other
    }

    /// How the response to a request with ``requestFields`` relates to the body.
    func classify(_ response: HTTPResponse) -> Match {
        switch response.status.code {
        case 200: return .whole
        case 416: return .unusable
        case 206: break
        default: return .other
        }
        guard let total = PartialBody.length(in: head), response.headerFields[.contentEncoding] == nil,
            let range = ContentRange(response.headerFields[.contentRange]), range.first == count, range.last == total - 1,
            range.total ?? total == total
        else { return .unusable }
        // The server need not repeat the validator, but must not send another.
        let name: HTTPField.Name = response.headerFields[.eTag] == nil ? .lastModified : .eTag
        if let named = response.headerFields[name], named != head.headerFields[name] { return .unusable }
        return .rest
    }
}
