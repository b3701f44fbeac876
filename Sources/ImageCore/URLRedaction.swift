/// Sources as they may appear in logs and traces: no credentials, no fragment, and no values of a query unless asked for.
public enum URLRedaction {
    /// - Parameter hidesQueries: whether the values in a URL's query, which may be tokens or signatures, are left out.
    public static func text(of source: ImageSource, hidesQueries: Bool) -> String {
        guard case .url(let url) = source else { return source.description }
        let text = withoutCredentials(url)
        guard hidesQueries, text.prefix(5).lowercased() != "data:", let mark = text.firstIndex(of: "?") else { return text }
        return text[...mark] + withoutValues(text[text.index(after: mark)...])
    }

    /// A stranger's words, such as those of a plug-in's error, with what is left out of URLs left out of those in them. A URL
    /// ends at white space, a double quote or an angle bracket.
    ///
    /// - Parameter hidesQueries: as for a source.
    public static func text(in words: String, hidesQueries: Bool = true) -> String {
        var (rest, text) = (words[...], "")
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

    /// A URL without user, password and fragment, and the start of a `data` URL only. For keys and for readers who may see
    /// queries.
    static func withoutCredentials(_ url: URL) -> String {
        var text = url.absoluteString
        if text.prefix(5).lowercased() == "data:" { return text.count > 40 ? "\(text.prefix(37))..." : text }
        guard url.user != nil || url.password != nil, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            // No server sees a fragment, which may be a token.
            if let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")) { text.removeSubrange(fragment...) }
            return text
        }
        (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
        return parts.string ?? "(a URL with credentials)"
    }

    /// A query with dots for its values.
    private static func withoutValues(_ query: Substring) -> String {
        // A piece without a name may itself be the secret.
        let pieces = query.split(separator: "&", omittingEmptySubsequences: false).map { piece in
            piece.firstIndex(of: "=").map { piece[..<$0] + "=..." } ?? (piece.isEmpty ? "" : "...")
        }
        return pieces.joined(separator: "&")
    }
}
