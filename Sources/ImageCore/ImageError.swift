/// Why a load failed. A value of names and sentences that may be stored, compared and logged.
///
/// ``code`` says what happened, ``category`` who can act on it. Cancellation is not an `ImageError`; see
/// ``LoadFailure``.
public struct ImageError: Error, Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What went wrong. Plug-ins may add codes as static members.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, such as `timedOut`.
        public let name: String
        /// Who can act on an error with this code.
        public let category: Category

        /// Creates a code.
        ///
        /// - Parameters:
        ///   - name: unique among all codes.
        ///   - category: who can act on the error.
        public init(_ name: String, _ category: Category) {
            self.name = name
            self.category = category
        }

        public var description: String { name }
    }

    /// Who can act on an error.
    public enum Category: String, Hashable, Sendable {
        /// The calling code: it passed a malformed URL or an invalid option.
        case caller
        /// The network or the server failed. A later attempt may succeed.
        case network
        /// The file is damaged or no image.
        case file
        /// A limit of this loader was reached.
        case limits
        /// The input is valid, but no registered plug-in supports it.
        case unsupported
        /// A plug-in failed.
        case plugIn
    }

    /// What went wrong.
    public var code: Code
    /// A sentence that says what happened, to what, and what to do. It may be logged: sources appear as in
    /// ``ImageSource/description``.
    public var message: String
    /// The stage of the load that failed; `nil` outside of a load.
    public var stage: LoadStage?
    /// The source, without credentials and query values; `nil` outside of a load.
    public var source: String?
    /// The HTTP status of the response, for ``Code/httpStatus``; `nil` otherwise.
    public var status: Int?
    /// The errors of earlier attempts, in order, and the underlying errors; none.
    public var causes: [String]

    /// The error that a closure, an interceptor or another plug-in threw, if it was no `ImageError`; `nil` otherwise.
    /// Equality ignores it.
    public var underlying: (any Error)? {
        get { details.underlying }
        set { details.underlying = newValue }
    }

    /// The times and counts of the load that failed, if a loader has thrown the error; `nil` otherwise. Equality
    /// ignores them.
    public var metrics: LoadMetrics? {
        get { details.metrics }
        set { details.metrics = newValue }
    }

    /// What equality ignores.
    private struct Details: Hashable, Sendable {
        var underlying: (any Error)?
        var metrics: LoadMetrics?

        static func == (a: Details, b: Details) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    private var details = Details()

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: what went wrong.
    ///   - message: what happened, to what, and what to do, without credentials.
    ///   - stage: the stage that failed; the engine sets it if it is `nil`.
    ///   - source: the redacted source; the engine sets it if it is `nil`.
    ///   - status: the HTTP status of the response.
    ///   - causes: earlier and underlying errors.
    public init(
        _ code: Code, message: String, stage: LoadStage? = nil, source: String? = nil, status: Int? = nil, causes: [String] = []
    ) {
        self.code = code
        (self.message, self.stage, self.source, self.status, self.causes) = (message, stage, source, status, causes)
    }

    /// Who can act on the error.
    public var category: Category { code.category }

    /// The message, and the causes in parentheses.
    public var description: String {
        causes.isEmpty ? message : message + " (" + causes.joined(separator: "; ") + ")"
    }

    /// The code, stage, status and source, and the description, on one line and without credentials, such as
    /// `timedOut in network for https://example.org/a.png: “example.org” did not send …`.
    public var debugDescription: String {
        var text = code.name
        if let status { text += " \(status)" }
        if let stage { text += " in \(stage.rawValue)" }
        if let source { text += " for \(source)" }
        return URLRedaction.text(in: text) + ": " + URLRedaction.text(in: description)
    }

    /// Returns an error that a stage reports, with its stage and source.
    ///
    /// An `ImageError` keeps the stage and the source that it has. Any other error is wrapped as ``Code/plugInFailed``,
    /// with the error as ``underlying``.
    public static func wrapping(_ error: any Error, stage: LoadStage, source: String?) -> ImageError {
        var wrapped =
            error as? ImageError
            ?? ImageError(
                .plugInFailed, message: "A plug-in failed while the image was in the \(stage.rawValue) stage.",
                causes: [URLRedaction.text(in: "\(error)")])
        if !(error is ImageError) { wrapped.underlying = error }
        wrapped.stage = wrapped.stage ?? stage
        wrapped.source = wrapped.source ?? source
        return wrapped
    }
}
