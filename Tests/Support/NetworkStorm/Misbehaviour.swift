internal import ImageCore
internal import ImageNetworking

/// A behaviour of the server, and the outcomes that a load of its URLs may have.
struct Misbehaviour: Sendable {
    /// The name in URLs and reports.
    let name: String
    /// What the server does.
    let what: String
    /// The outcomes of a load that is not cancelled. An image must always be the right one.
    let allowed: Set<Outcome>
    private(set) var pace = Pace.usual
    let respond: @Sendable (Exchange) throws -> Void
    /// The source of its loads in place of the server's URL, for a number; `nil` for the server.
    private(set) var localSource: (@Sendable (LocalSources, Int) throws -> LoadSource)?

    /// What becomes of an image that was stored before; `nil` where the server sends none.
    private(set) var stored: Stored?

    enum Stored {
        /// It is shown in place of the failure, as `stale-if-error` allows (RFC 5861, section 4).
        case replacesFailure
        /// It stays stored.
        case stays
        /// HTTP lets it end or stay.
        case mayEnd
    }

    /// How long a load takes.
    enum Pace {
        case usual
        /// Seconds. Fewer of these loads run, so that they do not take the places of all others.
        case slow
        /// As long as the host asks for. Its loads have a host to themselves, because all others would wait with them.
        case limited
    }

    init(
        _ name: String, _ what: String, _ allowed: Set<Outcome>, _ pace: Pace = .usual,
        respond: @escaping @Sendable (Exchange) throws -> Void
    ) {
        (self.name, self.what, self.allowed, self.pace, self.respond) = (name, what, allowed, pace, respond)
    }

    /// A server that sends the image at every third request for it, to be stale at once, and otherwise does what `fail`
    /// does.
    static func stale(
        _ name: String, _ what: String, _ failures: Set<Outcome>, _ stored: Stored, _ pace: Pace = .usual,
        fail: @escaping @Sendable (Exchange) throws -> Void
    ) -> Misbehaviour {
        let what = "Sends an image that may replace errors, \(what) at the next requests."
        var misbehaviour = Misbehaviour(name, what, failures.union([.image]), pace) {
            guard $0.attempt % 3 == 1 else { return try fail($0) }
            let lines = ["ETag: \($0.image.entityTag)", "Cache-Control: max-age=0, stale-if-error=600"]
            try $0.send($0.uncached($0.file) + lines, $0.file)
        }
        misbehaviour.stored = stored
        return misbehaviour
    }

    /// A source that needs no server.
    init(
        _ name: String, _ what: String, _ allowed: Set<Outcome>,
        source: @escaping @Sendable (LocalSources, Int) throws -> LoadSource
    ) {
        self.init(name, what, allowed) { try $0.sendStatus("404 Not Found") }
        localSource = source
    }

    static let all =
        proper + unusual + transport + lengths + responseHeaders + bodies + codings + ranges + redirects + statuses + limits
        + stale + local

    static let byName = Dictionary(uniqueKeysWithValues: (all + [impostor]).map { ($0.name, $0) })

    /// Proves that the test finds wrong images, in the disk cache too. Not part of the table.
    static let impostor = Misbehaviour("impostor", "Sends the image of another URL, to be cached for a year.", [.image]) {
        try $0.send(["Content-Type: \($0.image.type)", year, $0.length(of: $0.otherFile)], $0.otherFile)
    }

    /// A year of `max-age`, so that a wrongly cached response is found afterwards.
    static let year = "Cache-Control: max-age=31536000, immutable"

    /// Returns the path of one of its images.
    func path(_ number: Int) -> String { "/\(name)/\(number).\(number % 2 == 0 ? "png" : "jpg")" }
}

/// The outcome of a load: an image, a cancellation, or an error, by its code.
struct Outcome: Hashable, Sendable, Comparable, CustomStringConvertible {
    let description: String

    private init(_ description: String) { self.description = description }

    init(_ error: ImageError) { description = error.code.name }

    static func < (a: Outcome, b: Outcome) -> Bool { a.description < b.description }

    static let image = Outcome("image")
    static let cancelled = Outcome("cancelled")
    static let lost = Outcome(.connectionLost)
    static let refused = Outcome(.connectionFailed)
    static let timedOut = Outcome(.timedOut)
    static let malformed = Outcome(.badResponse)
    static let status = Outcome(.httpStatus)
    static let circle = Outcome(.tooManyRedirects)
    static let empty = Outcome(.emptyFile)
    static let truncated = Outcome(.truncated)
    static let corrupt = Outcome(.corrupt)
    static let tooLarge = Outcome(.tooLarge)
    static let unknownFormat = Outcome(.unknownFormat)
    static let scheme = Outcome(.unsupportedScheme)
    static let notCached = Outcome(.notCached)
    static let paused = Outcome(.hostPaused)
    static let request = Outcome(.invalidRequest)
    static let unreadable = Outcome(.fileUnreadable)

    private init(_ code: ImageError.Code) { description = code.name }
}
