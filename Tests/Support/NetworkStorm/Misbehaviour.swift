internal import ImageCore

/// One way in which the server behaves or misbehaves, and how a load of its URLs may end.
struct Misbehaviour: Sendable {
    /// Names it in URLs and reports.
    let name: String
    /// What the server does.
    let what: String
    /// How a load may end that is not cancelled. An image must be the right one in any case.
    let allowed: Set<Outcome>
    let answer: @Sendable (Exchange) throws -> Void

    init(_ name: String, _ what: String, _ allowed: Set<Outcome>, answer: @escaping @Sendable (Exchange) throws -> Void) {
        (self.name, self.what, self.allowed, self.answer) = (name, what, allowed, answer)
    }

    static let all = proper + unusual + transport + lengths + heads + bodies + ranges + redirects + statuses

    static let byName = Dictionary(uniqueKeysWithValues: (all + [impostor]).map { ($0.name, $0) })

    /// Shows that the storm finds wrong images, in the disk cache too. Not part of the table.
    static let impostor = Misbehaviour("impostor", "Sends the image of another URL, to be kept for a year.", [.image]) {
        try $0.send(["Content-Type: \($0.image.type)", year, $0.length(of: $0.otherFile)], $0.otherFile)
    }

    /// A year of `max-age` makes sure that what is stored wrongly is found afterwards.
    static let year = "Cache-Control: max-age=31536000, immutable"

    /// The path of one of its images.
    func path(_ number: Int) -> String { "/\(name)/\(number).\(number % 2 == 0 ? "png" : "jpg")" }
}

/// How a load ended: with an image, cancelled, or with an error, by its code.
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
