internal import ImageCore
internal import ImageNetworking

/// A source on the command line: a path or a URL.
struct SourceArgument: Sendable {
    /// The argument as the user wrote it.
    let text: String
    /// `nil` for a path, which becomes a URL only when one is needed: making a URL takes longer than to decode a small
    /// image.
    private let parsedURL: URL?

    /// An argument that begins with a scheme and `://`, or with `file:` or `data:`, is a URL; any other is a path.
    /// `./http:...` names a file whose name looks like a URL.
    ///
    /// - Throws: ``ImageError`` (`invalidRequest`) for an empty path and for a URL that is not valid.
    init(_ text: String) throws(ImageError) {
        self.text = text
        guard SourceArgument.looksLikeURL(text) else {
            guard !text.isEmpty, !text.utf8.contains(0) else {
                throw ImageError(.invalidRequest, message: "The path is empty; name a file or a URL.")
            }
            parsedURL = nil
            return
        }
        guard let url = URL(lenient: text), url.scheme != nil else {
            throw ImageError(.invalidRequest, message: "The URL is not valid; check its scheme and its host.")
        }
        parsedURL = url
    }

    /// The path, if the argument is one.
    var path: String? { parsedURL == nil ? text : nil }

    var url: URL { parsedURL ?? URL(filePath: text, directoryHint: .notDirectory) }

    /// The source for messages and reports: the argument without credentials; a long `data` URL is cut short.
    var displayName: String { SourceArgument.displayName(of: text) }

    /// The same for an argument that may not be a valid source.
    static func displayName(of text: String) -> String {
        guard looksLikeURL(text) else { return text }
        if text.prefix(5).lowercased() == "data:" { return text.count > 40 ? "\(text.prefix(37))..." : text }
        guard let slashes = text.firstRange(of: "://") else { return text }
        // In an invalid URL, the password may contain the characters that end the authority of a valid one.
        let isURL = URL(lenient: text) != nil
        let authority = text[slashes.upperBound...].prefix { !isURL || !"/?#".contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return text }
        return String(text[..<slashes.upperBound] + text[text.index(after: at)...])
    }

    /// The last part of the path without its extension, for the name of an output file.
    var stem: String {
        if url.scheme?.lowercased() == "data" { return "data" }
        let encoded = url.path(percentEncoded: true).split(separator: "/").last ?? ""
        let last = String(decoding: PercentEncoding.decode(encoded.utf8), as: UTF8.self)
        let dot = last.lastIndex(of: ".") ?? last.endIndex
        let isExtension = last[dot...].dropFirst().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        let stem = isExtension && dot > last.startIndex ? last[..<dot] : last[...]
        let safe = stem.map { character -> Character in
            character == "/" || character.unicodeScalars.contains { $0.value < 32 || $0.value == 127 } ? "_" : character
        }
        let name = String(String(safe).drop { $0 == "." }.prefix(100))
        return name.isEmpty ? "image" : name
    }

    private static func looksLikeURL(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":") else { return false }
        let scheme = text[..<colon]
        guard let first = scheme.first, first.isASCII, first.isLetter,
            scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return false }
        return text[colon...].hasPrefix("://") || ["file", "data"].contains(scheme.lowercased())
    }
}
