/// Why a load failed, sorted by who can act on it. A value: it holds names and sentences, never live objects.
///
/// Cancellation is no error of this kind: see ``LoadFailure``.
public struct ImageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong. Open: plug-ins add codes of their own as static members.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let name: String
        public let category: Category

        public init(_ name: String, _ category: Category) {
            self.name = name
            self.category = category
        }

        public var description: String { name }
    }

    /// Who can act.
    public enum Category: String, Hashable, Sendable {
        /// The code that asked: a malformed URL, a bad option.
        case caller
        /// The line or the server; trying again later may help.
        case network
        /// The bytes are not a picture that anyone can show.
        case file
        /// A limit that this loader sets was reached.
        case limits
        /// Sound, but nothing registered here can do it.
        case unsupported
        /// A plug-in failed in its own way.
        case plugIn
    }

    public var code: Code
    /// A sentence: what happened to what, and what to do. Sources are named as in ``ImageSource/description``, so that it may be
    /// logged.
    public var message: String
    /// The step of the load that failed; `nil` until the engine knows.
    public var stage: LoadStage?
    /// The source, without credentials and without values of a query; `nil` until the engine knows.
    public var source: String?
    /// The HTTP status of the answer, for ``Code/httpStatus``.
    public var status: Int?
    /// The reasons of the attempts that failed before, in order, and of what lies underneath.
    public var causes: [String]

    public init(
        _ code: Code, message: String, stage: LoadStage? = nil, source: String? = nil, status: Int? = nil, causes: [String] = []
    ) {
        self.code = code
        self.message = message
        self.stage = stage
        self.source = source
        self.status = status
        self.causes = causes
    }

    public var category: Category { code.category }

    public var description: String {
        causes.isEmpty ? message : message + " (" + causes.joined(separator: "; ") + ")"
    }

    /// The error as a stage reports it: what it knows itself stays, what is missing is filled in. A stranger's error is
    /// wrapped once, as ``Code/plugInFailed``.
    public static func wrapping(_ error: any Error, stage: LoadStage, source: String?) -> ImageError {
        var wrapped =
            error as? ImageError
            ?? ImageError(
                .plugInFailed, message: "A plug-in failed while the image was in the \(stage.rawValue) stage.",
                causes: [URLRedaction.text(in: "\(error)")])
        wrapped.stage = wrapped.stage ?? stage
        wrapped.source = wrapped.source ?? source
        return wrapped
    }
}

extension ImageError.Code {
    /// One or more options are out of range; the message names each, its value and its layer.
    public static let invalidConfiguration = Self("invalidConfiguration", .caller)
    /// The source or a parameter cannot mean anything.
    public static let invalidRequest = Self("invalidRequest", .caller)
    /// The loader was shut down.
    public static let loaderClosed = Self("loaderClosed", .caller)
    /// `onlyIfCached` was asked for and nothing is cached.
    public static let notCached = Self("notCached", .caller)
    /// A local file could not be read.
    public static let fileUnreadable = Self("fileUnreadable", .caller)

    /// A local file could not be written.
    public static let fileUnwritable = Self("fileUnwritable", .caller)

    /// The host name has no address.
    public static let hostNotFound = Self("hostNotFound", .network)
    /// No connection could be made.
    public static let connectionFailed = Self("connectionFailed", .network)
    /// The connection ended before the body was whole.
    public static let connectionLost = Self("connectionLost", .network)
    /// TLS could not be agreed on, or the certificate was refused.
    public static let insecure = Self("insecure", .network)
    /// One attempt took longer than ``LoadOptions/timeout``, or than a limit of the network layer for a part of it.
    public static let timedOut = Self("timedOut", .network)
    /// The whole load took longer than ``LoadOptions/deadline``.
    public static let deadlineExceeded = Self("deadlineExceeded", .network)
    /// The server answered with a status that carries no picture; see ``ImageError/status``.
    public static let httpStatus = Self("httpStatus", .network)
    /// The redirects did not end within the limit.
    public static let tooManyRedirects = Self("tooManyRedirects", .network)
    /// The answer does not follow its protocol.
    public static let badResponse = Self("badResponse", .network)

    /// There are no bytes at all.
    public static let emptyFile = Self("emptyFile", .file)
    /// The file ends before the picture does.
    public static let truncated = Self("truncated", .file)
    /// The file breaks the rules of its format.
    public static let corrupt = Self("corrupt", .file)

    /// The picture, its file or the response is larger than allowed.
    public static let tooLarge = Self("tooLarge", .limits)

    /// No registered decoder knows these bytes.
    public static let unknownFormat = Self("unknownFormat", .unsupported)
    /// The format is known, this feature of it is not.
    public static let unsupportedFeature = Self("unsupportedFeature", .unsupported)
    /// No registered loader answers for this URL scheme.
    public static let unsupportedScheme = Self("unsupportedScheme", .unsupported)

    /// A plug-in threw something of its own.
    public static let plugInFailed = Self("plugInFailed", .plugIn)
}

/// How a load ended without an image: the only error of the front door.
public enum LoadFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Nobody wanted the image any more. Never logged or counted as a failure.
    case cancelled
    /// In a box of its own, since every result of the engine has room for a failure and nearly none is one.
    indirect case failed(ImageError)

    /// The error, unless the load was cancelled.
    public var error: ImageError? {
        if case .failed(let error) = self { error } else { nil }
    }

    public var description: String {
        switch self {
        case .cancelled: "The load was cancelled."
        case .failed(let error): error.description
        }
    }
}

/// The steps of a load, in order.
public enum LoadStage: String, Hashable, Sendable, CaseIterable {
    case request, memoryCache, processedCache, originalCache, network, decode, process, store, deliver
}
