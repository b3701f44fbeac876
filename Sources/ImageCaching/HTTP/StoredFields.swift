internal import HTTPTypes

/// The header fields that are stored, and how later response headers update them (RFC 9111, sections 3.1 and 3.2).
enum StoredFields {
    /// The response headers without connection-specific fields and without those that `no-cache` lists.
    static func head(from head: HTTPResponse) -> HTTPResponse {
        var kept = head
        let listed = Set(head.headerFields[values: .connection].flatMap(FieldList.members).map { $0.lowercased() })
            .union(CacheControl(head.headerFields).noCacheFields)
        kept.headerFields = HTTPFields(
            head.headerFields.filter { field in
                let name = field.name.canonicalName
                return !hopByHop.contains(name) && !listed.contains(name)
            })
        return kept
    }

    /// The stored response headers, updated by those of a 304 or of a response to HEAD. Fields that describe the stored
    /// body stay.
    static func head(_ stored: HTTPResponse, updatedBy new: HTTPResponse) -> HTTPResponse {
        var updated = stored
        let fields = head(from: new).headerFields.filter { !describesBody.contains($0.name.canonicalName) }
        let replaced = Set(fields.map(\.name.canonicalName))
        // `Age` is removed unless the new response headers contain one.
        updated.headerFields = HTTPFields(
            stored.headerFields.filter { !replaced.contains($0.name.canonicalName) && $0.name != .age } + fields)
        return updated
    }

    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "te", "trailer", "transfer-encoding", "upgrade", EntryMetadata.fieldName.canonicalName,
    ]

    private static let describesBody: Set<String> = ["content-length", "content-encoding", "content-range"]
}
