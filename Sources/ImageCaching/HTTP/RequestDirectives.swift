internal import HTTPTypes
internal import ImageCore

/// What a request wants of a cache: its `Cache-Control` (RFC 9111, section 5.2.1), and the policy of the load.
struct RequestDirectives: Hashable, Sendable {
    /// Neither stored responses nor this one's answer matter: `no-store`, preconditions that only the server can judge, or a
    /// load that does not read the cache.
    var bypasses: Bool
    /// Nothing is used that the server did not confirm.
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
            control.noStore || !request.cachePolicy.readsDisk && !request.cachePolicy.isOnlyIfCached
            || fields.contains(.ifMatch) || fields.contains(.ifUnmodifiedSince)
        // `Pragma` counts where there is no `Cache-Control` (section 5.4).
        let pragma = fields.contains(.cacheControl) ? [] : fields.filter { $0.name.canonicalName == "pragma" }
        noCache = control.noCache || pragma.contains { FieldList.members($0.value.lowercased()).contains("no-cache") }
        onlyIfCached = control.onlyIfCached || request.cachePolicy.isOnlyIfCached
        maxAge = control.maxAge
        minFresh = control.minFresh
        // A load that must do with what is cached takes it at any age.
        maxStale = request.cachePolicy.isOnlyIfCached ? .max : control.maxStale
        staleIfError = control.staleIfError
    }
}
