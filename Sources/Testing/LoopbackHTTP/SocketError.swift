internal import CalotypeSystem

/// The error of a system call for a socket, a pipe or a thread.
public struct SocketError: Error, Sendable, CustomStringConvertible {
    /// The name of the call that failed.
    public let call: String
    /// The value of `errno` after the call.
    public let code: Int32

    /// The call and its error number.
    public var description: String { "\(call) failed with error \(code)." }

    static func last(_ call: String) -> SocketError { SocketError(call: call, code: errno) }
}
