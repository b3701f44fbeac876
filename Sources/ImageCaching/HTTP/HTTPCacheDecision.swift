public import HTTPTypes

/// The decision of an HTTP cache about a request.
public enum HTTPCacheDecision: Hashable, Sendable {
    /// Serve the stored response.
    case serve(HTTPCacheReply)
    /// Serve the stored response, which is stale, and revalidate it in the background (RFC 5861, section 3): by the validation, or
    /// by a full fetch if the response has no validator.
    case serveWhileRevalidating(HTTPCacheReply, HTTPCacheValidation?)
    /// Send a conditional request for the stored response, or a range request for its missing part.
    case revalidate(HTTPCacheValidation)
    /// Send the request unchanged.
    case fetch
    /// Respond with 504: the request only accepts a stored response, and there is none (RFC 9111, section 5.2.1.7).
    case gatewayTimeout

    /// Whether the stored response is served.
    var serves: Bool {
        switch self {
        case .serve, .serveWhileRevalidating: true
        case .revalidate, .fetch, .gatewayTimeout: false
        }
    }
}

/// A response that is made of a stored one.
public struct HTTPCacheReply: Hashable, Sendable {
    /// The age in whole seconds, which ``head`` has as `Age`.
    public var age: Int
    /// The status and the header fields of the reply: those stored, or 206 for a part of the body, or 304 if the preconditions of
    /// the request name the stored version.
    public var head: HTTPResponse
    /// The stored bytes that are the body.
    public var bytes: Range<Int>
}

/// A validation of a stored response by the server.
public struct HTTPCacheValidation: Hashable, Sendable {
    /// What the request to the server asks for.
    public enum Kind: Hashable, Sendable {
        /// A conditional request: a 304 confirms the stored response.
        case conditional
        /// A range request for the bytes after the stored ones: a 206 has them if the version is the same.
        case remainder
    }

    /// What the request to the server asks for.
    public var kind: Kind
    /// The header fields of the request to send: the original ones with preconditions.
    public var headerFields: HTTPFields
}

/// The reason why the server returned no usable response.
public enum HTTPCacheFailure: Hashable, Sendable {
    /// The server did not respond: the host name was not found, no connection was made, it was closed without a response, or the
    /// request timed out.
    case unreachable
    /// The server responded with this status.
    case status(Int)
}
