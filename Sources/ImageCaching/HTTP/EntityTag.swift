/// An entity tag (RFC 9110, section 8.8.3).
struct EntityTag: Hashable, Sendable {
    /// The text between the quotes; a tag without quotes is accepted as it is.
    var opaque: String
    var isWeak: Bool

    init(_ text: String) {
        var rest = text[...]
        isWeak = rest.hasPrefix("W/") || rest.hasPrefix("w/")
        if isWeak { rest = rest.dropFirst(2) }
        if rest.count >= 2, rest.hasPrefix("\""), rest.hasSuffix("\"") { rest = rest.dropFirst().dropLast() }
        opaque = String(rest)
    }

    /// Whether both are equal, weak or not.
    func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }
}
