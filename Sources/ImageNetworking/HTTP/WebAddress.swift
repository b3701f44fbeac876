package import ImageCore

/// The parts of a web URL that a loader needs. Parsing is strict, so that no two parsers read a URL differently: the
/// parts of RFC 3986, section 3, with an authority made of plain host characters only.
package struct WebAddress: Hashable, Sendable {
    /// What must be equal for two URLs to share credentials and connections (RFC 6454).
    package struct Origin: Hashable, Sendable {
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
        text = url
        let bytes = Array(url.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw .scheme("") }
        let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        guard scheme == "http" || scheme == "https" else { throw .scheme(scheme) }
        origin.isSecure = scheme == "https"
        let start = colon + 3
        guard start <= bytes.count, bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
        else { throw .host }
        let end = bytes[start...].firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? bytes.endIndex
        let fragment = bytes[end...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex

        var authority = bytes[start..<end]
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            credentials = String(decoding: authority[..<at], as: UTF8.self)
            // Browsers read a backslash as a slash: for them, the host ends there.
            guard !authority[..<at].contains(UInt8(ascii: "\\")) else { throw .host }
            authority = authority[(at + 1)...]
        }
        try origin.read(authority)
        if credentials != nil || fragment != bytes.endIndex {
            text = "\(scheme)://" + String(decoding: authority + bytes[end..<fragment], as: UTF8.self)
        }
    }
}

extension WebAddress {
    /// Reads the URL of a request.
    package init(_ url: URL) throws(ImageError) {
        do {
            try self.init(url.absoluteString)
        } catch {
            throw error.imageError(for: ImageSource.redacted(url))
        }
    }

    /// The credentials as a value of `Authorization` (RFC 7617); `nil` without any.
    package var basicAuthorization: String? {
        guard let credentials, !credentials.isEmpty else { return nil }
        // A user without a password has an empty one.
        let pair = credentials.contains(":") ? credentials : credentials + ":"
        return "Basic " + Data(PercentEncoding.decode(pair.utf8)).base64EncodedString()
    }
}

extension WebAddress.Problem {
    fileprivate func imageError(for source: String) -> ImageError {
        switch self {
        case .scheme(let scheme):
            ImageError(.unsupportedScheme, message: "\(source) has the scheme “\(scheme)”; this loader supports http and https.")
        case .host: ImageError(.invalidRequest, message: "\(source) has no valid host.")
        case .port: ImageError(.invalidRequest, message: "\(source) has a port that is not a number from 1 to 65535.")
        }
    }
}

extension WebAddress.Origin {
    /// Reads the host and the port between the slashes.
    fileprivate mutating func read(_ authority: ArraySlice<UInt8>) throws(WebAddress.Problem) {
        var host = authority
        port = isSecure ? 443 : 80
        let bracket = authority.lastIndex(of: UInt8(ascii: "]"))
        if let colon = authority.lastIndex(of: UInt8(ascii: ":")), bracket.map({ $0 < colon }) ?? true {
            host = authority[..<colon]
            let digits = authority[(colon + 1)...]
            if !digits.isEmpty {
                guard digits.count <= 5, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { throw .port }
                port = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
                guard 1...65535 ~= port else { throw .port }
            }
        }
        if host.first == UInt8(ascii: "[") {
            guard host.last == UInt8(ascii: "]"), host.count > 3,
                host.dropFirst().dropLast().allSatisfy({ Self.isHexDigit($0) || $0 == 0x3A || $0 == 0x2E })
            else { throw .host }
        } else {
            guard !host.isEmpty, host.allSatisfy(Self.isHostByte) else { throw .host }
        }
        self.host = String(decoding: host, as: UTF8.self).lowercased()
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
