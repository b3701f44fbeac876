internal import HTTPTypes
internal import ImageCore

/// The `Cache-Control` directives of a message (RFC 9111, section 5.2) that a private cache obeys.
///
/// Unknown directives, and those for shared caches (`s-maxage`, `proxy-revalidate`), are ignored. If a directive is
/// repeated, the strictest value counts (section 4.2.1).
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

    private static func least(_ old: Int?, _ new: Int?) -> Int? { [old, new].compactMap { $0 }.min() }

    /// Parses delta-seconds (section 1.2.2): digits only, at most ``maximumSeconds``.
    static func seconds(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return min(Int(text) ?? maximumSeconds, maximumSeconds)
    }
}

/// The cache directives of a request: its `Cache-Control` (RFC 9111, section 5.2.1) and the cache policy of the load.
struct RequestDirectives: Sendable {
    /// The request is answered by the server alone: `no-store`, a range or preconditions of its own, or a load that
    /// does not read the cache.
    let bypasses: Bool
    private(set) var control: CacheControl

    init(_ request: DataRequest) {
        let fields = request.headerFields
        control = CacheControl(fields)
        bypasses = control.noStore || !request.cachePolicy.readsDisk || request.isConditional
        // `Pragma` counts only without `Cache-Control` (section 5.4).
        let pragma = fields.contains(.cacheControl) ? [] : fields.filter { $0.name.canonicalName == "pragma" }
        if request.cachePolicy.revalidatesDisk
            || pragma.contains(where: { FieldList.members($0.value.lowercased()).contains("no-cache") })
        {
            control.noCache = true
        }
        if request.cachePolicy.isOnlyIfCached {
            // A load that only accepts cached responses takes them at any age.
            (control.onlyIfCached, control.maxStale) = (true, .max)
        }
    }
}

extension DataRequest {
    /// Whether a cache may serve the request: the method is GET or HEAD, and there is no body.
    var isCacheRead: Bool { (method == .get || method == .head) && body == nil }

    /// Whether the caller asks for a part of the body, or has preconditions of its own (RFC 9110, sections 13 and 14).
    /// A server evaluates them; no loader here sends them, so the cache does not.
    var isConditional: Bool {
        let names: [HTTPField.Name] = [.range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince]
        return names.contains { headerFields.contains($0) }
    }
}

/// Parses comma-separated field values (RFC 9110, section 5.6.1).
enum FieldList {
    /// The members between commas, without surrounding whitespace and without empty ones. Commas inside quotes do not
    /// separate.
    static func members(_ text: String) -> [String] {
        var (isQuoted, isEscaped) = (false, false)
        let members = text.utf8.split { byte in
            defer { isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\") }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
        return members.map(trimmed).filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with each directive of a `Cache-Control` line: its name in lower case, and its unquoted value.
    ///
    /// There is no whitespace around the `=` of a directive. Whitespace before it makes the name another one;
    /// whitespace after it belongs to the value, which is then not a number.
    static func forEachDirective(in line: String, _ body: (String, String?) -> Void) {
        for member in members(line) {
            let parts = member.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard !parts[0].isEmpty else { continue }
            body(Substring(parts[0]).lowercased(), parts.count > 1 ? unquoted(parts[1]) : nil)
        }
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
        var rest = bytes
        while let first = rest.first, first == 0x20 || first == 0x09 { rest = rest.dropFirst() }
        while let last = rest.last, last == 0x20 || last == 0x09 { rest = rest.dropLast() }
        return rest
    }

    /// The content of a quoted string (RFC 9110, section 5.6.4); any other text is returned as it is.
    private static func unquoted(_ bytes: Substring.UTF8View) -> String {
        guard bytes.first == UInt8(ascii: "\"") else { return String(Substring(bytes)) }
        var content: [UInt8] = []
        var isEscaped = false
        for byte in bytes.dropFirst() {
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if !isEscaped, byte == UInt8(ascii: "\"") {
                break
            } else {
                content.append(byte)
                isEscaped = false
            }
        }
        return String(decoding: content, as: UTF8.self)
    }
}
