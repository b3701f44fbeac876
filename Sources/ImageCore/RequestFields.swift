/// What the header fields of a request tell of who sends it.
package enum RequestFields {
    /// The fields that say how to answer, and not whom, in lower case: content negotiation, preconditions and ranges (RFC 9110,
    /// sections 8 and 12 to 14), cache directives, the connection's own, and the numbers that tracing gives to requests. Any
    /// other may be a credential.
    package static let neutral: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "user-agent", "referer", "origin", "priority",
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range", "range",
        "cache-control", "pragma",
        "connection", "host", "te", "via", "date", "expect", "content-type", "content-length", "content-encoding",
        "content-language", "traceparent", "tracestate", "x-request-id", "x-correlation-id",
    ]
}
