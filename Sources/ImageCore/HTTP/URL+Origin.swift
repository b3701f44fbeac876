extension URL {
    /// Host in lower case, port unless it is the standard one, and scheme unless it is HTTPS: what must be equal for
    /// two URLs to share connections (RFC 6454, section 4).
    package var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        let host = host(percentEncoded: true)?.lowercased() ?? ""
        let standardPort = scheme == "https" ? 443 : 80
        // In brackets, since an IPv6 address contains colons.
        let server = if let port, port != standardPort { "[\(host)]:\(port)" } else { host }
        return scheme == "https" ? server : "\(scheme)://\(server)"
    }
}
