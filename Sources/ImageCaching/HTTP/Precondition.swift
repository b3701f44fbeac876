internal import HTTPTypes
internal import ImageCore

/// The preconditions of a request that a cache evaluates (RFC 9111, section 4.3.2).
enum Precondition {
    static func isConditional(_ fields: HTTPFields) -> Bool {
        fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince)
    }

    /// Whether the client has the stored version. `If-None-Match` takes precedence over `If-Modified-Since` (RFC 9110, section
    /// 13.2.2).
    static func isUnmodified(_ response: StoredResponse, since fields: HTTPFields) -> Bool {
        guard response.head.status == .ok else { return false }
        let tags = fields[values: .ifNoneMatch].flatMap(FieldList.members)
        if !tags.isEmpty {
            return tags.contains { tag in tag == "*" || response.entityTag.map { $0.matchesWeakly(EntityTag(tag)) } == true }
        }
        guard let text = fields[.ifModifiedSince], let since = HTTPDate.seconds(of: text, now: response.receivedAt) else {
            return false
        }
        return (response.lastModified ?? response.date) <= since
    }

    /// The response headers of a 304 (RFC 9110, section 15.4.5), without the fields that describe a body.
    static func notModified(_ head: HTTPResponse) -> HTTPResponse {
        var head = head
        head.status = .notModified
        for name in [HTTPField.Name.contentLength, .contentEncoding, .contentRange, .contentType, .contentLanguage] {
            head.headerFields[name] = nil
        }
        return head
    }
}
