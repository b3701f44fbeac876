internal import HTTPTypes

/// Which fields of a head are kept, and how a later head changes them (RFC 9111, sections 3.1 and 3.2).
enum StoredFields {
    /// The head without what holds for one connection only, and without what `no-cache` names.
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

    /// The stored head with the fields of a 304, or of an answer to HEAD, in the place of its own; what describes the stored
    /// bytes stays.
    static func head(_ stored: HTTPResponse, updatedBy new: HTTPResponse) -> HTTPResponse {
        var updated = stored
        let fields = head(from: new).headerFields.filter { !describesBody.contains($0.name.canonicalName) }
        for name in Set(fields.map(\.name)) { updated.headerFields[name] = nil }
        // An age that the new head does not speak of is over.
        updated.headerFields[.age] = nil
        for field in fields { updated.headerFields.append(field) }
        return updated
    }

    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "te", "trailer", "transfer-encoding", "upgrade", EntryMetadata.fieldName.canonicalName,
    ]

    private static let describesBody: Set<String> = ["content-length", "content-encoding", "content-range"]
}
