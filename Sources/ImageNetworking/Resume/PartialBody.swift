internal import HTTPTypes
internal import ImageCore

/// The beginning of a body that broke off, and whether an answer goes on where it ends (RFC 9110, sections 13 and 14).
/// A value: it asks for nothing itself.
struct PartialBody: Sendable, Equatable {
    /// The head that the whole body would have come with.
    var head: HTTPResponse
    var bytes: Data

    /// What the head must have for a body to be worth keeping: a validator that changes with every byte, a known length,
    /// and a server that serves ranges of just these bytes.
    static func canResume(_ head: HTTPResponse) -> Bool {
        head.status == .ok && validator(in: head) != nil && length(in: head) != nil && head.headerFields[.contentEncoding] == nil
            && head.headerFields[.acceptRanges]?.lowercased() == "bytes"
    }

    /// A strong ETag, or a `Last-Modified` so long before the answer that no second version can share it (RFC 9110,
    /// section 8.8.2.2).
    static func validator(in head: HTTPResponse) -> String? {
        if let tag = head.headerFields[.eTag] { return tag.hasPrefix("\"") ? tag : nil }
        guard let modified = head.headerFields[.lastModified],
            let answered = head.headerFields[.date].flatMap({ HTTPDate.seconds(of: $0, now: thisCentury) }),
            let written = HTTPDate.seconds(of: modified, now: answered), answered - written >= 60
        else { return nil }
        return modified
    }

    /// By which the two digits of a year are read in a `Date` of the oldest form, up to 2050. Not by a clock: what a head is
    /// worth does not change.
    private static let thisCentury = 946_684_800.0

    static func length(in head: HTTPResponse) -> Int? {
        head.headerFields[.contentLength].flatMap(ContentLength.bytes).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Whether `Cache-Control` says that nothing is to be kept (RFC 9111, sections 5.2.1.5 and 5.2.2.5).
    static func isNotToBeKept(_ fields: HTTPFields) -> Bool {
        let words = fields[.cacheControl]?.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
        return words?.contains("no-store") ?? false
    }

    /// Where the rest begins.
    var end: ResumePoint { ResumePoint(head: head, count: bytes.count) }
}

/// A place in a body at which another request may go on.
struct ResumePoint: Sendable, Equatable {
    /// The head that the whole body came with.
    var head: HTTPResponse
    /// The bytes before it.
    var count: Int

    /// The header fields that ask for the rest.
    var requestFields: [(HTTPField.Name, String)] {
        [(.range, "bytes=\(count)-"), (.ifRange, PartialBody.validator(in: head) ?? "")]
    }

    enum Answer: Hashable {
        /// The rest of the same body.
        case rest
        /// The resource changed, or the server serves no ranges: the whole body.
        case whole
        /// A range that was not asked for, or none that the server has: ask again without one.
        case unusable
        /// Something else, such as an error of the server; what there is may still be of use.
        case other
    }

    /// What the answer to a request with ``requestFields`` is.
    func classify(_ answer: HTTPResponse) -> Answer {
        switch answer.status.code {
        case 200: return .whole
        case 416: return .unusable
        case 206: break
        default: return .other
        }
        guard let total = PartialBody.length(in: head), answer.headerFields[.contentEncoding] == nil,
            answer.headerFields[.contentRange]?.lowercased() == "bytes \(count)-\(total - 1)/\(total)"
        else { return .unusable }
        // The server need not repeat the validator, but must not name another.
        let name: HTTPField.Name = answer.headerFields[.eTag] == nil ? .lastModified : .eTag
        if let named = answer.headerFields[name], named != head.headerFields[name] { return .unusable }
        return .rest
    }
}
