internal import ImageCore

/// A behaviour of the server, and the outcomes that a load of its URLs may have.
struct Misbehaviour: Sendable {
    /// The name in URLs and reports.
    let name: String
    /// What the server does.
    let what: String
    /// The outcomes of a load that is not cancelled. An image must always be the right one.
    let allowed: Set<Outcome>
    let respond: @Sendable (Exchange) throws -> Void

    init(_ name: String, _ what: String, _ allowed: Set<Outcome>, respond: @escaping @Sendable (Exchange) throws -> Void) {
        (self.name, self.what, self.allowed, self.respond) = (name, what, allowed, respond)
    }

    static let all = proper + unusual + transport + lengths + responseHeaders + bodies + ranges + redirects + statuses

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

    private init(_ code: ImageError.Code) { description = code.name }
}
