internal import HTTPTypes

/// The `Cache-Control` directives of a message (RFC 9111, section 5.2) that a private cache obeys.
///
/// Unknown directives, and those for shared caches (`s-maxage`, `proxy-revalidate`), are ignored. If a directive is repeated, the
/// strictest value counts (section 4.2.1).
struct CacheControl: Hashable, Sendable {
    var noStore = false
    /// `no-cache` without field names.
    var noCache = false
    /// The field names of `no-cache="…"`, in lower case.
    var noCacheFields: [String] = []
    var mustRevalidate = false
    var isPublic = false
    var isPrivate = false
    var immutable = false
    var mustUnderstand = false
    var onlyIfCached = false
    /// In seconds. A malformed value counts as 0, so that the response is stale (section 4.2.1).
    var maxAge: Int?
    var minFresh: Int?
    /// In seconds; `Int.max` if any staleness is accepted.
    var maxStale: Int?
    var staleWhileRevalidate: Int?
    var staleIfError: Int?

    /// Larger numbers of seconds count as this one (section 1.2.2).
    static let maximumSeconds = 1 << 31

    init(_ fields: HTTPFields) {
        for line in fields[values: .cacheControl] { add(line) }
    }

    private mutating func add(_ line: String) {
        FieldList.forEachDirective(in: line) { name, value in
            switch name {
            case "no-store": noStore = true
            case "no-cache":
                let names = value.map(FieldList.members) ?? []
                if names.isEmpty { noCache = true } else { noCacheFields += names.map { $0.lowercased() } }
            case "must-revalidate": mustRevalidate = true
            case "public": isPublic = true
            case "private": isPrivate = true
            case "immutable": immutable = true
            case "must-understand": mustUnderstand = true
            case "only-if-cached": onlyIfCached = true
            case "max-age": maxAge = min(maxAge ?? .max, value.flatMap(Self.seconds) ?? 0)
            case "min-fresh": minFresh = value.flatMap(Self.seconds).map { max(minFresh ?? 0, $0) } ?? minFresh
            case "max-stale": maxStale = Self.least(maxStale, value == nil ? .max : value.flatMap(Self.seconds))
            case "stale-while-revalidate":
                staleWhileRevalidate = Self.least(staleWhileRevalidate, value.flatMap(Self.seconds))
            case "stale-if-error": staleIfError = Self.least(staleIfError, value.flatMap(Self.seconds))
            default: break
            }
        }
    }

    private static func least(_ old: Int?, _ new: Int?) -> Int? {
        guard let new else { return old }
        return min(old ?? .max, new)
    }

    /// Parses delta-seconds (section 1.2.2): digits only, at most ``maximumSeconds``.
    static func seconds(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return min(Int(text) ?? maximumSeconds, maximumSeconds)
    }
}
