internal import HTTPTypes

/// Which fields of a head are kept, and how a later head changes them (RFC 9111, sections 3.1 and 3.2).
enum StoredFields {
    /// The head without what holds for one connection only, and without what `no-cache` names.
    static func head(from head: HTTPResponse) -> HTTPResponse {
        // Most heads have none of that, and stay as they are.
        let isSuspect = head.headerFields.contains { field in
            hopByHop.contains(field.name.canonicalName)
                || field.name == .cacheControl && CacheControl(field.value).noCacheFields.isEmpty == false
        }
        guard isSuspect else { return head }
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
        let replaced = Set(fields.map(\.name.canonicalName))
        // An age that the new head does not speak of is over.
        updated.headerFields = HTTPFields(
            stored.headerFields.filter { !replaced.contains($0.name.canonicalName) && $0.name != .age } + fields)
        return updated
    }

    /// Whether a 304 may have the field without saying anything of what is stored.
    static func saysNothingOfWhatIsStored(_ field: HTTPField) -> Bool {
        let name = field.name.canonicalName
        // What `Connection` lists is for this connection, and is not told from the rest here.
        if name == "connection" { return ["keep-alive", "close"].contains(field.value.lowercased()) }
        return describesBody.contains(name) || hopByHop.contains(name)
    }

    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "te", "trailer", "transfer-encoding", "upgrade", EntryMetadata.fieldName.canonicalName,
    ]

    private static let describesBody: Set<String> = ["content-length", "content-encoding", "content-range"]
}
