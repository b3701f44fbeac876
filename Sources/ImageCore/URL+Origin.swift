extension URL {
    /// Host in lower case, port, and scheme unless it is HTTPS: what must be equal for two URLs to share connections (RFC 6454,
    /// section 4). The port need not stand in the URL.
    package var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        let server = "\(host(percentEncoded: true)?.lowercased() ?? ""):\(port ?? (scheme == "https" ? 443 : 80))"
        return scheme == "https" ? server : "\(scheme)://\(server)"
    }
}
