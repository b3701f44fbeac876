internal import HTTPTypes
internal import ImageCore

/// Which requests a response with `Vary` answers (RFC 9111, section 4.1): the names of the fields that it depends on, and
/// a digest of their values in the request that it came for. The values may be credentials, so that none is kept.
public struct VaryKey: Hashable, Sendable {
    /// In lower case, sorted, each once.
    let names: [String]
    let digest: String

    init(names: [String], digest: String) {
        self.names = names
        self.digest = digest
    }

    /// The key of a response; `nil` where it does not vary.
    init?(_ response: HTTPFields, for request: HTTPFields) {
        guard let names = Self.names(in: response[values: .vary]), !names.isEmpty else { return nil }
        self.init(names: names, digest: Self.digest(of: names, in: request))
    }

    /// Whether a request has the same values.
    func matches(_ request: HTTPFields) -> Bool { Self.digest(of: names, in: request) == digest }

    /// The names that `Vary` lists; `nil` for `*`, which no request matches.
    static func names(in lines: [String]) -> [String]? {
        guard !lines.isEmpty else { return [] }
        let names = lines.flatMap(FieldList.members).map { $0.lowercased() }
        return names.contains("*") ? nil : Array(Set(names)).sorted()
    }

    static func digest(of names: [String], in request: HTTPFields) -> String {
        var text = ""
        for name in names {
            let value = HTTPField.Name(name).map { normalized(request[values: $0], of: name) } ?? nil
            // An absent field is not an empty one, and no two lists read the same.
            text += value.map { "\(name)=\($0.utf8.count):\($0);" } ?? "\(name);"
        }
        return SHA256.hexDigest(of: Array(text.utf8))
    }

    /// Values that differ in what has no meaning are the same: lines are joined, space around commas goes; in
    /// `Accept-Language` also case, order, and space anywhere.
    private static func normalized(_ values: [String], of name: String) -> String? {
        guard !values.isEmpty else { return nil }
        let members = values.flatMap(FieldList.members)
        guard name == "accept-language" else { return members.joined(separator: ",") }
        return members.map { $0.lowercased().filter { $0 != " " } }.sorted().joined(separator: ",")
    }
}
