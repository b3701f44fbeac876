package import HTTPTypes

/// Header fields of requests, by whether they may identify the client.
package enum RequestFields {
    /// Names, in lower case, of fields that carry no credentials: content negotiation, preconditions and ranges (RFC
    /// 9110, sections 8 and 12 to 14), cache directives, connection fields, and the identifiers of tracing systems. Any
    /// other field may be a credential.
    package static let neutral: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "user-agent", "referer", "origin", "priority",
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range", "range",
        "cache-control", "pragma",
        "connection", "host", "te", "via", "date", "expect", "content-type", "content-length", "content-encoding",
        "content-language", "traceparent", "tracestate", "x-request-id", "x-correlation-id",
    ]

    /// Whether a redirect to another origin keeps the field.
    ///
    /// - Parameter name: in lower case.
    package static func mayReachAnotherOrigin(_ name: String) -> Bool { name != "host" && neutral.contains(name) }
}

extension HTTPFields {
    /// Whether `Cache-Control` contains `no-store` (RFC 9111, sections 5.2.1.5 and 5.2.2.5).
    package var forbidStorage: Bool {
        let words = self[.cacheControl]?.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
        return words?.contains("no-store") ?? false
    }
}

extension HTTPRequest.Method {
    /// Whether a request without a body says so by a length of zero (RFC 9110, section 8.6).
    package var expectsBody: Bool { ["POST", "PUT", "PATCH", "QUERY"].contains(rawValue) }
}
