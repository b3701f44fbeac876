internal import ImageCore

/// A SOURCE of the command line: a path, or a URL.
struct SourceArgument: Sendable {
    /// As it was typed; messages and tables name it so.
    let text: String
    let url: URL

    /// What begins with a scheme and `://`, or with `file:` or `data:`, is a URL; everything else is a path. A path that
    /// looks like a URL can be written as `./http:...`.
    ///
    /// - Throws: ``ImageError`` (`invalidRequest`) for what looks like a URL and is none.
    init(_ text: String) throws(ImageError) {
        self.text = text
        guard SourceArgument.looksLikeURL(text) else {
            guard !text.isEmpty, !text.utf8.contains(0) else {
                throw ImageError(.invalidRequest, message: "The path is empty; name a file or a URL.")
            }
            url = URL(filePath: text, directoryHint: .notDirectory)
            return
        }
        guard let url = URL(string: text), url.scheme != nil else {
            throw ImageError(
                .invalidRequest, message: "This is no valid URL; percent-encode spaces and other special characters.")
        }
        self.url = url
    }

    /// The source in messages: as it was typed, but that a `data` URL is cut short and credentials are left out.
    var name: String {
        url.scheme?.lowercased() == "data" || url.user != nil || url.password != nil ? ImageSource.redacted(url) : text
    }

    /// The last part of the path without its extension, for the name of an output file.
    var stem: String {
        if url.scheme?.lowercased() == "data" { return "data" }
        let last = url.deletingPathExtension().lastPathComponent
        let safe = last.unicodeScalars.map { $0 == "/" || $0.value < 32 || $0.value == 127 ? "_" : Character($0) }
        let name = String(String(safe).drop { $0 == "." }.prefix(100))
        return name.isEmpty ? "image" : name
    }

    private static func looksLikeURL(_ text: String) -> Bool {
        let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        guard let first = scheme.first, first.isLetter, text.dropFirst(scheme.count).first == ":" else { return false }
        return text.dropFirst(scheme.count).hasPrefix("://") || ["file", "data"].contains(scheme.lowercased())
    }
}
