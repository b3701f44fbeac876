/// A web URL taken apart as far as a loader needs it, and strictly, so that no two parsers can read it differently: the
/// parts of RFC 3986, section 3, with an authority made of plain host characters only.
struct WebAddress: Hashable, Sendable {
    /// What must be equal for two URLs to share credentials and connections (RFC 6454).
    struct Origin: Hashable, Sendable, CustomStringConvertible {
        var scheme: String
        /// Lower case; brackets round an IPv6 address.
        var host: String
        var port: Int

        var isSecure: Bool { scheme == "https" }
        var description: String { "\(scheme)://\(host):\(port)" }
    }

    var origin: Origin
    /// The URL without credentials and fragment.
    var text: String
    /// `user:password` as it stood in the URL, percent-encoded.
    var credentials: String?

    enum Problem: Error, Hashable {
        case scheme(String)
        case host
        case port
    }

    init(_ url: String) throws(Problem) {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw .scheme("") }
        let scheme = url[..<colon].lowercased()
        guard scheme == "http" || scheme == "https" else { throw .scheme(scheme) }
        guard bytes[colon...].starts(with: "://".utf8) else { throw .host }
        let start = bytes.index(colon, offsetBy: 3)
        let end = bytes[start...].firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? bytes.endIndex
        let fragment = bytes[end...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex

        var authority = url[start..<end]
        if let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
            credentials = String(authority[..<at])
            // Browsers take a backslash for a slash, so that the host would be what stands before it.
            guard !authority[..<at].utf8.contains(UInt8(ascii: "\\")) else { throw .host }
            authority = authority[authority.utf8.index(after: at)...]
        }
        let (host, port) = try Self.split(authority, defaultPort: scheme == "https" ? 443 : 80)
        origin = Origin(scheme: scheme, host: host, port: port)
        if credentials == nil, fragment == bytes.endIndex {
            text = url
        } else {
            text = "\(scheme)://\(authority)\(url[end..<fragment])"
        }
    }

    private static func split(_ authority: Substring, defaultPort: Int) throws(Problem) -> (host: String, port: Int) {
        var host = authority
        var port = defaultPort
        let bracket = authority.utf8.lastIndex(of: UInt8(ascii: "]"))
        if let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")), bracket.map({ $0 < colon }) ?? true {
            host = authority[..<colon]
            let digits = authority[authority.utf8.index(after: colon)...]
            if !digits.isEmpty {
                guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(digits),
                    1...65535 ~= number
                else { throw .port }
                port = number
            }
        }
        if host.utf8.first == UInt8(ascii: "[") {
            guard host.utf8.last == UInt8(ascii: "]"), host.utf8.count > 3,
                host.utf8.dropFirst().dropLast().allSatisfy({ isHexDigit($0) || $0 == 0x3A || $0 == 0x2E })
            else { throw .host }
        } else {
            guard !host.isEmpty, host.utf8.allSatisfy(isHostByte) else { throw .host }
        }
        return (host.lowercased(), port)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x46 ~= byte || 0x61...0x66 ~= byte
    }

    /// Letters, digits, `-`, `.`, `_`, and the bytes of international names.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == 0x2D || byte == 0x2E || byte == 0x5F
            || byte >= 0x80
    }
}
