/// A web URL taken apart as far as a loader needs it, and strictly, so that no two parsers can read it differently: the
/// parts of RFC 3986, section 3, with an authority made of plain host characters only.
package struct WebAddress: Hashable, Sendable {
    /// What must be equal for two URLs to share credentials and connections (RFC 6454).
    package struct Origin: Hashable, Sendable, CustomStringConvertible {
        /// Whether the scheme is `https`, and not `http`.
        package var isSecure = false
        /// Lower case; brackets round an IPv6 address.
        package var host = ""
        package var port = 80

        package var scheme: String { isSecure ? "https" : "http" }
        /// Whether the host is a loopback address, or the name of one (RFC 6761, section 6.3).
        package var isOfThisMachine: Bool {
            host == "localhost" || host == "[::1]" || host.hasPrefix("127.") && IPAddress(host) != nil
        }
        package var description: String { "\(scheme)://\(host):\(port)" }

        package init(isSecure: Bool = false, host: String = "", port: Int = 80) {
            (self.isSecure, self.host, self.port) = (isSecure, host, port)
        }
    }

    package var origin = Origin()
    /// The URL without credentials and fragment.
    package var text: String
    /// `user:password` as it stood in the URL, percent-encoded.
    package var credentials: String?

    package enum Problem: Error, Hashable {
        case scheme(String)
        case host
        case port
    }

    package init(_ url: String) throws(Problem) {
        self.text = url
        var text = url
        // Bytes in one piece are read several times as fast as through the string.
        if let problem = text.withUTF8({ bytes in unsafe read(bytes) }) { throw problem }
    }

    /// Takes the text apart. Returns what is wrong with it.
    private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Problem? {
        guard let colon = unsafe bytes.firstIndex(of: UInt8(ascii: ":")) else { return .scheme("") }
        let scheme = unsafe Self.lowercased(bytes[..<colon])
        guard scheme == "http" || scheme == "https" else { return .scheme(scheme) }
        origin.isSecure = scheme == "https"
        let start = colon + 3
        guard start <= bytes.count, unsafe bytes[colon + 1] == UInt8(ascii: "/"), unsafe bytes[colon + 2] == UInt8(ascii: "/")
        else { return .host }
        let end = unsafe bytes[start...].firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? bytes.endIndex
        let fragment = unsafe bytes[end...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex

        var authority = unsafe bytes[start..<end]
        if let at = unsafe authority.lastIndex(of: UInt8(ascii: "@")) {
            credentials = unsafe String(decoding: authority[..<at], as: UTF8.self)
            // Browsers take a backslash for a slash, so that the host would be what stands before it.
            guard unsafe !authority[..<at].contains(UInt8(ascii: "\\")) else { return .host }
            unsafe authority = authority[(at + 1)...]
        }
        if let problem = unsafe origin.read(authority) { return problem }
        if credentials != nil || fragment != bytes.endIndex {
            text =
                unsafe "\(scheme)://\(String(decoding: authority, as: UTF8.self))"
                + String(decoding: bytes[end..<fragment], as: UTF8.self)
        }
        return nil
    }

    /// In lower case, which most already are.
    fileprivate static func lowercased(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let text = unsafe String(decoding: bytes, as: UTF8.self)
        return unsafe bytes.allSatisfy { $0 < 0x80 && !(0x41...0x5A ~= $0) } ? text : text.lowercased()
    }
}

extension WebAddress.Origin {
    /// Takes a host and a port from between the slashes. Returns what is wrong with them.
    fileprivate mutating func read(_ authority: Slice<UnsafeBufferPointer<UInt8>>) -> WebAddress.Problem? {
        var host = unsafe authority
        port = isSecure ? 443 : 80
        let bracket = unsafe authority.lastIndex(of: UInt8(ascii: "]"))
        if let colon = unsafe authority.lastIndex(of: UInt8(ascii: ":")), bracket.map({ $0 < colon }) ?? true {
            unsafe host = authority[..<colon]
            let digits = unsafe authority[(colon + 1)...]
            if unsafe !digits.isEmpty {
                guard unsafe digits.count <= 5, unsafe digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return .port }
                port = unsafe digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
                guard 1...65535 ~= port else { return .port }
            }
        }
        if unsafe host.first == UInt8(ascii: "[") {
            guard unsafe host.last == UInt8(ascii: "]"), unsafe host.count > 3,
                unsafe host.dropFirst().dropLast().allSatisfy({ Self.isHexDigit($0) || $0 == 0x3A || $0 == 0x2E })
            else { return .host }
        } else {
            guard unsafe !host.isEmpty, unsafe host.allSatisfy(Self.isHostByte) else { return .host }
        }
        self.host = unsafe WebAddress.lowercased(host)
        return nil
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
