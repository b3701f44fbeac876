internal import ImageCore

/// The error of a conformance check: the plug-in breaks a rule of its protocol.
public struct ConformanceFailure: Error, Hashable, CustomStringConvertible {
    /// A sentence that says what the check did and what the plug-in did wrong.
    public var message: String

    /// Creates an error with a message.
    public init(_ message: String) { self.message = message }

    /// The message.
    public var description: String { message }
}

/// Throws a failure unless the condition is fulfilled.
package func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(ConformanceFailure) {
    if !condition { throw ConformanceFailure(message()) }
}

/// Expects that work throws a `CancellationError` after it has cancelled its token.
///
/// - Parameter mayFinish: Whether the work may also succeed.
func requireCancellation(of what: String, mayFinish: Bool = false, _ work: (CancellationToken) throws -> Void) throws {
    do {
        try work(CancellationToken())
    } catch is CancellationError {
        return
    } catch let error as ImageError {
        throw ConformanceFailure("\(what) was cancelled and threw \"\(error.message)\" instead of a CancellationError.")
    }
    try require(mayFinish, "\(what) finished although its token was cancelled before.")
}
