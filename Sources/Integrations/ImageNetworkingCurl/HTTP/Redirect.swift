internal import CCalotypeCurl
internal import HTTPTypes
internal import ImageCore
internal import ImageNetworking

/// Resolves the `Location` of a redirect.
enum Redirect {
    /// The next request of the chain. `source` is named in errors.
    static func hop(after hop: Hop, response: HTTPResponse, location: String, source: String) throws(ImageError) -> Hop {
        // Another scheme is rejected by name before libcurl could read it as a relative path.
        if let scheme = scheme(of: location), scheme != "http", scheme != "https" {
            return try hop.following(response, to: location, source: source)
        }
        let location = String(location.prefix { $0 != "#" })
        // libcurl takes no empty reference.
        guard !location.isEmpty else { return try hop.following(response, to: hop.address.text, source: source) }
        let resolved: String? = unsafe hop.address.text.withCString { base in
            unsafe location.withCString { reference in
                guard let text = unsafe clt_curl_resolve_url(base, reference) else { return nil }
                defer { unsafe curl_free(text) }
                return unsafe String(cString: text)
            }
        }
        return try hop.following(response, to: resolved ?? "http://", source: source)
    }

    /// What stands before the colon, if it has the form of a scheme (RFC 3986, section 3.1).
    private static func scheme(of text: String) -> String? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), let first = text.utf8.first, isLetter(first) else {
            return nil
        }
        let name = text[..<colon]
        let isScheme = name.utf8.allSatisfy { isLetter($0) || 0x30...0x39 ~= $0 || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
        return isScheme ? name.lowercased() : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte | 0x20 }
}
