extension URL {
    /// Scheme, host in lower case, and port, which need not stand in the URL: what must be equal for two URLs to share connections
    /// (RFC 6454, section 4).
    package var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        let port = port ?? (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host(percentEncoded: true)?.lowercased() ?? ""):\(port)"
    }
}
