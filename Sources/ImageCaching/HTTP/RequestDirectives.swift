internal import HTTPTypes
internal import ImageCore

/// The cache directives of a request: its `Cache-Control` (RFC 9111, section 5.2.1) and the cache policy of the load.
struct RequestDirectives: Sendable {
    /// Neither use stored responses nor store this one: `no-store`, preconditions that only the server can evaluate, or a load
    /// that does not read the cache.
    let bypasses: Bool
    private(set) var control: CacheControl

    init(_ request: DataRequest) {
        let fields = request.headerFields
        control = CacheControl(fields)
        bypasses =
            control.noStore || !request.cachePolicy.readsDisk
            || fields.contains(.ifMatch) || fields.contains(.ifUnmodifiedSince)
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
