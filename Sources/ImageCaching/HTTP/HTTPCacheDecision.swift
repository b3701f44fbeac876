public import HTTPTypes

/// What an HTTP cache does with a request.
public enum HTTPCacheDecision: Hashable, Sendable {
    /// Answer from what is stored.
    case serve(HTTPCacheReply)
    /// Answer from what is stored, which is past its time, and validate it in the background (RFC 5861, section 3).
    case serveWhileRevalidating(HTTPCacheReply, HTTPCacheValidation)
    /// Ask the server whether what is stored still holds, or for the part of it that is missing.
    case revalidate(HTTPCacheValidation)
    /// Send the request on as it is.
    case fetch
    /// Answer 504: only what is stored was asked for, and nothing that is may be used (RFC 9111, section 5.2.1.7).
    case gatewayTimeout
}

/// An answer made of a stored response.
public struct HTTPCacheReply: Hashable, Sendable {
    /// Which of the stored responses it is made of.
    public var index: Int
    /// Its age in whole seconds, which ``head`` has as `Age`.
    public var age: Int
    /// Status and fields as they are to be sent: those stored, or for a part of the body 206, or 304 where the request
    /// named the version that is stored.
    public var head: HTTPResponse
    /// Which of the stored bytes are its body.
    public var bytes: Range<Int>
}

/// A question to the server about a stored response.
public struct HTTPCacheValidation: Hashable, Sendable {
    /// What is asked.
    public enum Question: Hashable, Sendable {
        /// Whether it still holds: a 304 says yes.
        case isCurrent
        /// For the bytes after those that are stored: a 206 has them, if the version is the same.
        case rest
    }

    /// Which of the stored responses it is about.
    public var index: Int
    public var question: Question
    /// The fields of the request to send: the original's, with preconditions.
    public var headerFields: HTTPFields
}

/// Why the server could not be asked.
public enum HTTPCacheFailure: Hashable, Sendable {
    /// There is no way to it: no name, no connection, no answer in time.
    case unreachable
    /// The transaction broke off.
    case brokenOff
    /// It answered with this status.
    case status(Int)
}
