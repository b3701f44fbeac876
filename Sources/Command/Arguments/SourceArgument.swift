internal import ImageCore

/// A SOURCE of the command line: a path, or a URL.
struct SourceArgument: Sendable {
    /// As it was typed; messages and tables name it so.
    let text: String
    /// What was typed as a URL; `nil` for a path. To make a URL of a path takes longer than to decode a small image.
    private let typedURL: URL?

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
            typedURL = nil
            return
        }
        guard let url = URL(string: text), url.scheme != nil else {
            throw ImageError(
                .invalidRequest, message: "This is no valid URL; percent-encode spaces and other special characters.")
        }
        typedURL = url
    }

    /// The file's path, if it was typed as one.
    var path: String? { typedURL == nil ? text : nil }

    var url: URL { typedURL ?? URL(filePath: text, directoryHint: .notDirectory) }

    /// The source in messages and reports: as it was typed, but that a `data` URL is cut short and credentials are left out.
    var name: String { SourceArgument.name(of: text) }

    /// The same for what may be no source at all.
    static func name(of text: String) -> String {
        guard looksLikeURL(text) else { return text }
        if text.prefix(5).lowercased() == "data:" { return text.count > 40 ? "\(text.prefix(37))..." : text }
        guard let slashes = text.firstRange(of: "://") else { return text }
        // What is no URL may have anything in its password.
        let isURL = URL(string: text) != nil
        let authority = text[slashes.upperBound...].prefix { !isURL || !"/?#".contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return text }
        return String(text[..<slashes.upperBound] + text[text.index(after: at)...])
    }

    /// The last part of the path without its extension, for the name of an output file.
    var stem: String {
        if url.scheme?.lowercased() == "data" { return "data" }
        let encoded = url.path(percentEncoded: true).split(separator: "/").last.map(String.init) ?? ""
        let last = SourceArgument.decoded(encoded)
        let dot = last.lastIndex(of: ".") ?? last.endIndex
        let isExtension = last[dot...].dropFirst().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        let stem = isExtension && dot > last.startIndex ? last[..<dot] : last[...]
        let safe = stem.map { character -> Character in
            character == "/" || character.unicodeScalars.contains { $0.value < 32 || $0.value == 127 } ? "_" : character
        }
        let name = String(String(safe).drop { $0 == "." }.prefix(100))
        return name.isEmpty ? "image" : name
    }

    /// Percent-encoding undone; what is not well encoded stays.
    private static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Substring(text)
        while let first = rest.utf8.first {
            if first == UInt8(ascii: "%"), let byte = UInt8(rest.dropFirst().prefix(2), radix: 16), rest.utf8.count > 2 {
                bytes.append(byte)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(first)
                rest = Substring(rest.utf8.dropFirst())
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func looksLikeURL(_ text: String) -> Bool {
        let text = text.utf8
        func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
        let scheme = text.prefix { isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
        let rest = text.dropFirst(scheme.count)
        guard let first = scheme.first, isLetter(first), rest.first == UInt8(ascii: ":") else { return false }
        return rest.starts(with: "://".utf8) || ["file", "data"].contains(String(decoding: scheme, as: UTF8.self).lowercased())
    }
}
