/// Removes from sources and messages what must not appear in logs: credentials, fragments and, by default, query
/// values.
public enum URLRedaction {
    /// Returns the text of a source.
    ///
    /// - Parameters:
    ///   - source: the source to name.
    ///   - hidesQueries: whether the values of the query, which may be tokens or signatures, are replaced by dots.
    public static func text(of source: ImageSource, hidesQueries: Bool) -> String {
        guard let url = source.url else { return source.description }
        let text = withoutCredentials(url)
        guard hidesQueries, text.prefix(5).lowercased() != "data:", let mark = text.firstIndex(of: "?") else { return text }
        return text[...mark] + withoutValues(text[text.index(after: mark)...])
    }

    /// Returns a message, such as that of a plug-in's error, with its URLs redacted. A URL in a message ends at white
    /// space, a double quote or an angle bracket.
    ///
    /// - Parameters:
    ///   - message: any text.
    ///   - hidesQueries: whether the values of queries are replaced by dots; `true`.
    public static func text(in message: String, hidesQueries: Bool = true) -> String {
        var (rest, text) = (message[...], "")
        while let slashes = rest.firstRange(of: "://") {
            let url = rest[slashes.upperBound...].prefix { !$0.isWhitespace && !"\"<>".contains($0) }
            let authority = url.prefix { !"/?#'".contains($0) }
            let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
            let tail = url[authority.endIndex...].prefix { $0 != "#" }
            let path = tail.prefix { $0 != "?" }
            text += rest[..<slashes.upperBound] + host + path
            let query = tail[path.endIndex...]
            text += hidesQueries && !query.isEmpty ? "?" + withoutValues(query.dropFirst()) : query
            rest = rest[url.endIndex...]
        }
        return text + rest
    }

    /// Returns a URL without user, password and fragment, and only the start of a `data:` URL. Its query stays
    /// complete.
    static func withoutCredentials(_ url: URL) -> String {
        var text = url.absoluteString
        if text.prefix(5).lowercased() == "data:" { return text.count > 40 ? "\(text.prefix(37))..." : text }
        guard url.user != nil || url.password != nil, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            // A fragment is not sent to the server, and may be a token.
            if let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")) { text.removeSubrange(fragment...) }
            return text
        }
        (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
        return parts.string ?? "(a URL with credentials)"
    }

    /// Replaces the values of a query by dots.
    private static func withoutValues(_ query: Substring) -> String {
        // A piece without `=` may itself be a secret.
        let pieces = query.split(separator: "&", omittingEmptySubsequences: false).map { piece in
            piece.firstIndex(of: "=").map { piece[..<$0] + "=..." } ?? (piece.isEmpty ? "" : "...")
        }
        return pieces.joined(separator: "&")
    }
}
