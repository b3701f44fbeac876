internal import HTTPTypes
internal import ImageCore

/// The cache directives of a request: its `Cache-Control` (RFC 9111, section 5.2.1) and the cache policy of the load.
struct RequestDirectives: Hashable, Sendable {
    /// Neither use stored responses nor store this one: `no-store`, preconditions that only the server can evaluate, or a load
    /// that does not read the cache.
    var bypasses: Bool
    /// Validate every stored response before use.
    var noCache: Bool
    var onlyIfCached: Bool
    var maxAge: Int?
    var minFresh: Int?
    var maxStale: Int?
    var staleIfError: Int?

    init(_ request: DataRequest) {
        let fields = request.headerFields
        let control = CacheControl(fields)
        bypasses =
            control.noStore || !request.cachePolicy.readsDisk
            || fields.contains(.ifMatch) || fields.contains(.ifUnmodifiedSince)
        // `Pragma` counts only without `Cache-Control` (section 5.4).
        let pragma = fields.contains(.cacheControl) ? [] : fields.filter { $0.name.canonicalName == "pragma" }
        noCache =
            control.noCache || request.cachePolicy.revalidatesDisk
            || pragma.contains { FieldList.members($0.value.lowercased()).contains("no-cache") }
        onlyIfCached = control.onlyIfCached || request.cachePolicy.isOnlyIfCached
        maxAge = control.maxAge
        minFresh = control.minFresh
        // A load that only accepts cached responses takes them at any age.
        maxStale = request.cachePolicy.isOnlyIfCached ? .max : control.maxStale
        staleIfError = control.staleIfError
    }
}
