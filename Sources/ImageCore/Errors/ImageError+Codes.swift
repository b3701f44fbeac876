extension ImageError.Code {
    /// One or more options are invalid. The message names each option, its value and its layer.
    public static let invalidConfiguration = Self("invalidConfiguration", .caller)
    /// The source or a parameter is invalid.
    public static let invalidRequest = Self("invalidRequest", .caller)
    /// The loader was shut down.
    public static let loaderClosed = Self("loaderClosed", .caller)
    /// The cache policy forbids the network, and the image is not cached.
    public static let notCached = Self("notCached", .caller)
    /// A local file could not be read.
    public static let fileUnreadable = Self("fileUnreadable", .caller)
    /// A network layer of an app has no such resource, such as an entry of an archive. A status 404 is ``httpStatus``,
    /// a missing file ``fileUnreadable``.
    public static let notFound = Self("notFound", .caller)
    /// A local file could not be written.
    public static let fileUnwritable = Self("fileUnwritable", .caller)

    /// The host name has no address.
    public static let hostNotFound = Self("hostNotFound", .network)
    /// The connection to the server failed.
    public static let connectionFailed = Self("connectionFailed", .network)
    /// The connection closed before the body was complete.
    public static let connectionLost = Self("connectionLost", .network)
    /// The TLS handshake failed, or the certificate is not trusted.
    public static let insecure = Self("insecure", .network)
    /// An attempt made no progress for as long as ``LoadOptions/timeout``, or did not connect in time.
    public static let timedOut = Self("timedOut", .network)
    /// The load took longer than ``LoadOptions/deadline``.
    public static let deadlineExceeded = Self("deadlineExceeded", .network)
    /// The machine has no network.
    public static let offline = Self("offline", .network)
    /// The network is expensive, and the load's options do not allow to use it.
    public static let expensiveNetwork = Self("expensiveNetwork", .network)
    /// The response has a status that carries no image; see ``ImageError/status``.
    public static let httpStatus = Self("httpStatus", .network)
    /// There were more redirects than the limit allows.
    public static let tooManyRedirects = Self("tooManyRedirects", .network)
    /// The response is malformed.
    public static let badResponse = Self("badResponse", .network)

    /// The file is empty.
    public static let emptyFile = Self("emptyFile", .file)
    /// The file ends before its image does.
    public static let truncated = Self("truncated", .file)
    /// The file violates its format.
    public static let corrupt = Self("corrupt", .file)

    /// The image, its file or the response is larger than a limit.
    public static let tooLarge = Self("tooLarge", .limits)

    /// No registered decoder supports the file.
    public static let unknownFormat = Self("unknownFormat", .unsupported)
    /// The decoder supports the format, but not a feature that the file uses.
    public static let unsupportedFeature = Self("unsupportedFeature", .unsupported)
    /// No registered loader supports the scheme of the URL.
    public static let unsupportedScheme = Self("unsupportedScheme", .unsupported)

    /// A plug-in threw an error that is no ``ImageError``.
    public static let plugInFailed = Self("plugInFailed", .plugIn)

    /// The failures of a host or of the way to it, which may have ended at the next attempt.
    package static let connectionFailures: Set<Self> = [.hostNotFound, .connectionFailed, .connectionLost, .timedOut]
}
