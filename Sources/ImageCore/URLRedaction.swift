/// Sources as they may appear in logs and traces: no credentials, no fragment, and no values of a query unless asked for.
public enum URLRedaction {
    /// - Parameter hidesQueries: whether the values in a URL's query, which may be tokens or signatures, are left out.
    public static func text(of source: ImageSource, hidesQueries: Bool) -> String {
        let text = source.description
        guard hidesQueries, case .url = source, text.prefix(5).lowercased() != "data:" else { return text }
        guard let mark = text.firstIndex(of: "?") else { return text }
        let query = text[text.index(after: mark)...]
        // A piece without a name may itself be the secret.
        let pieces = query.split(separator: "&", omittingEmptySubsequences: false).map { piece in
            piece.firstIndex(of: "=").map { piece[..<$0] + "=..." } ?? (piece.isEmpty ? "" : "...")
        }
        return text[...mark] + pieces.joined(separator: "&")
    }
}
