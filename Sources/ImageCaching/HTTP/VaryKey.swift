internal import HTTPTypes
internal import ImageCore

/// The request fields on which a response with `Vary` depends (RFC 9111, section 4.1): their names, and a digest of
/// their values. The values themselves may be credentials and are not stored.
struct VaryKey: Hashable, Sendable {
    /// The names in lower case, sorted and unique.
    let names: [String]
    let digest: String

    /// Whether a request has the same values of these fields.
    func matches(_ request: HTTPFields) -> Bool { Self.digest(of: names, in: request) == digest }

    /// The names that `Vary` lists; `nil` for `*`, which matches no request.
    static func names(in lines: [String]) -> [String]? {
        guard !lines.isEmpty else { return [] }
        let names = lines.flatMap(FieldList.members).map { $0.lowercased() }
        return names.contains("*") ? nil : Array(Set(names)).sorted()
    }

    static func digest(of names: [String], in request: HTTPFields) -> String {
        var text = ""
        for name in names {
            let value = HTTPField.Name(name).map { normalized(request[values: $0], of: name) } ?? nil
            // The encoding distinguishes a missing field from an empty one and is unambiguous.
            text += value.map { "\(name)=\($0.utf8.count):\($0);" } ?? "\(name);"
        }
        return SHA256.hexDigest(of: Array(text.utf8))
    }

    /// Removes differences without meaning: joins lines and removes whitespace around commas; in `Accept-Language` also
    /// case, order and all whitespace.
    private static func normalized(_ values: [String], of name: String) -> String? {
        guard !values.isEmpty else { return nil }
        let members = values.flatMap(FieldList.members)
        guard name == "accept-language" else { return members.joined(separator: ",") }
        return members.map { $0.lowercased().filter { $0 != " " } }.sorted().joined(separator: ",")
    }
}

extension VaryKey {
    /// Creates the key of a response; `nil` if it does not vary.
    init?(_ response: HTTPFields, for request: HTTPFields) {
        guard let names = Self.names(in: response[values: .vary]), !names.isEmpty else { return nil }
        self.init(names: names, digest: Self.digest(of: names, in: request))
    }
}
