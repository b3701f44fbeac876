import HTTPTypes
import ImageCore
import Testing

@testable import ImageCaching

/// The `Cache-Control` directives of responses and requests besides lifetimes.
@Suite("HTTP cache directives") struct HTTPCacheDirectives {
    private static let fresh = "Cache-Control: max-age=3600"
    private static let tag = "ETag: \"a\""

    static let ofResponses: [Row] = [
        Row("RFC 9111 §5.2.2.5 no-store is not kept", ["Cache-Control: no-store"], .notKept),
        Row("RFC 9111 §5.2.2.5 no-store in any case", ["Cache-Control: No-StOrE"], .notKept),
        Row(
            "RFC 9111 §5.2.2.5 no-store goes before times", ["Cache-Control: max-age=3600, no-store", "Expires: {3600}"], .notKept
        ),
        Row("RFC 9111 §5.2.2.5 no-store on another line", [fresh, "Cache-Control: no-store"], .notKept),
        Row("RFC 9111 §5.2.2.5 no-store with a value", ["Cache-Control: no-store=1, max-age=60"], .notKept),
        Row("RFC 9110 §5.6.4 no-store inside quotes is text", ["Cache-Control: ext=\"no-store\", max-age=60"], .serve(0)),
        Row("RFC 9111 §5.2.2.5 no-storage is another name", ["Cache-Control: no-storage, max-age=60"], .serve(0)),
        Row("RFC 9111 §5.2.2.4 no-cache is validated", ["Cache-Control: no-cache", tag], .validate),
        Row("RFC 9111 §5.2.2.4 no-cache in any case", ["Cache-Control: No-CaChE, max-age=3600", tag], .validate),
        Row(
            "RFC 9111 §5.2.2.4 no-cache goes before times", ["Cache-Control: max-age=3600, no-cache", "Expires: {3600}", tag],
            .validate),
        Row("RFC 9111 §5.2.2.4 no-cache without a validator is of no use", ["Cache-Control: no-cache"], .notKept),
        Row("RFC 9111 §5.2.2.4 no-cache by Last-Modified", ["Cache-Control: no-cache", "Last-Modified: {-1000}"], .validate),
        Row(
            "RFC 9111 §5.2.2.4 no-cache for a field bars that field only", ["Cache-Control: no-cache=\"a\", max-age=60"],
            .serve(0)),
        Row("RFC 9111 §5.2.2.4 no-cache for a field, unquoted", ["Cache-Control: no-cache=a, max-age=60"], .serve(0)),
        Row("RFC 9111 §5.2.2.4 no-cache for no field bars all", ["Cache-Control: no-cache=\"\", max-age=60", tag], .validate),
        Row(
            "RFC 9111 §5.2.2.4 both forms: the stricter", ["Cache-Control: no-cache=\"a\", no-cache, max-age=60", tag], .validate),
        Row(
            "RFC 9111 §5.2.2.2 must-revalidate is used while fresh", ["Cache-Control: max-age=60, must-revalidate"], after: 59,
            .serve(59)),
        Row(
            "RFC 9111 §5.2.2.2 must-revalidate is validated when stale", ["Cache-Control: max-age=60, must-revalidate", tag],
            after: 61, .validate),
        Row(
            "RFC 9111 §5.2.2.2 must-revalidate bars max-stale", ["Cache-Control: max-age=60, must-revalidate", tag], after: 61,
            asking: ["Cache-Control: max-stale"], .validate),
        Row(
            "RFC 9111 §5.2.2.8 proxy-revalidate is for shared caches", ["Cache-Control: max-age=60, proxy-revalidate"], after: 61,
            asking: ["Cache-Control: max-stale"], .serve(61)),
        Row("RFC 9111 §5.2.2.7 private is kept here", ["Cache-Control: private, max-age=60"], after: 59, .serve(59)),
        Row(
            "RFC 9111 §5.2.2.7 private for a field is kept here", ["Cache-Control: private=\"a\", max-age=60"], after: 59,
            .serve(59)),
        Row("RFC 9111 §5.2.2.9 public is kept", ["Cache-Control: public, max-age=60"], after: 59, .serve(59)),
        Row("RFC 9111 §5.2.2.6 no-transform changes nothing", ["Cache-Control: no-transform, max-age=60"], after: 59, .serve(59)),
        Row("RFC 9111 §5.2.2.3 must-understand with a known status", ["Cache-Control: must-understand, max-age=60"], .serve(0)),
        Row(
            "RFC 9111 §5.2.2.3 must-understand lifts no-store for a known status",
            ["Cache-Control: must-understand, no-store, max-age=60"], .serve(0)),
        Row(
            "RFC 9111 §5.2.2.3 must-understand bars an unknown status", ["Cache-Control: must-understand, max-age=60"],
            status: 299, .notKept),
        Row(
            "RFC 9111 §5.2.2.3 must-understand and no-store with an unknown status",
            ["Cache-Control: must-understand, no-store, max-age=60"], status: 599, .notKept),
        Row("RFC 9111 §5.4 Pragma in a response means nothing", [fresh, "Pragma: no-cache"], .serve(0)),
        Row(
            "RFC 9111 §5.4 Pragma in a response does not bar a guess", ["Last-Modified: {-1000}", "Pragma: no-cache"], .serve(0)),
        Row(
            "RFC 8246 §2 immutable is fresh no longer than it says", ["Cache-Control: max-age=60, immutable", tag], after: 61,
            .validate),
        Row(
            "RFC 8246 §2 immutable is not reloaded while fresh", ["Cache-Control: max-age=60, immutable", tag], after: 30,
            asking: ["Cache-Control: max-age=0"], .serve(30)),
        Row(
            "RFC 8246 §2 immutable and stale is reloaded", ["Cache-Control: max-age=60, immutable", tag], after: 61,
            asking: ["Cache-Control: max-age=0"], .validate),
        Row(
            "RFC 8246 §2 immutable and stale is reloaded, whatever else it allows",
            ["Cache-Control: max-age=60, immutable, stale-while-revalidate=60", tag], after: 61,
            asking: ["Cache-Control: max-age=0"], .validate),
        Row(
            "RFC 8246 §2 no-cache reloads also what is immutable", ["Cache-Control: max-age=60, immutable", tag],
            asking: ["Cache-Control: no-cache"], .validate),
        Row("RFC 9111 §7.3 Set-Cookie bars nothing", [fresh, "Set-Cookie: a=b"], .serve(0)),
        Row("RFC 9110 §8.4 Content-Disposition bars nothing", [fresh, "Content-Disposition: attachment"], .serve(0)),
    ]

    static let ofRequests: [Row] = [
        Row("RFC 9111 §5.2.1.1 max-age=0 asks again", [fresh, tag], after: 1, asking: ["Cache-Control: max-age=0"], .validate),
        Row(
            "RFC 9111 §5.2.1.1 max-age=0 asks again at once", [fresh, tag], after: 0, asking: ["Cache-Control: max-age=0"],
            .validate),
        Row("RFC 9111 §5.2.1.1 max-age=0 without a validator", [fresh], after: 1, asking: ["Cache-Control: max-age=0"], .fetch),
        Row("RFC 9111 §5.2.1.1 young enough", [fresh], after: 600, asking: ["Cache-Control: max-age=600"], .serve(600)),
        Row("RFC 9111 §5.2.1.1 too old", [fresh], after: 601, asking: ["Cache-Control: max-age=600"], .fetch),
        Row("RFC 9111 §5.2.1.1 too old on arrival", [fresh, "Age: 1800"], asking: ["Cache-Control: max-age=600"], .fetch),
        Row("RFC 9111 §5.2.1.1 a max-age that is no number", [fresh, tag], asking: ["Cache-Control: max-age=x"], .validate),
        Row(
            "RFC 9111 §5.2.1.1 a longer max-age makes nothing fresh", ["Cache-Control: max-age=60", tag], after: 61,
            asking: ["Cache-Control: max-age=600"], .validate),
        Row(
            "RFC 9111 §5.2.1.2 max-stale takes anything", ["Cache-Control: max-age=1"], after: 1e6,
            asking: ["Cache-Control: max-stale"],
            .serve(1_000_000)),
        Row(
            "RFC 9111 §5.2.1.2 max-stale within its time", ["Cache-Control: max-age=1"], after: 900,
            asking: ["Cache-Control: max-stale=1000"], .serve(900)),
        Row(
            "RFC 9111 §5.2.1.2 max-stale beyond its time", ["Cache-Control: max-age=1"], after: 1002,
            asking: ["Cache-Control: max-stale=1000"], .fetch),
        Row(
            "RFC 9111 §5.2.1.2 max-stale for what was old on arrival", ["Cache-Control: max-age=1500", "Age: 2000"],
            asking: ["Cache-Control: max-stale=1000"], .serve(2000)),
        Row(
            "RFC 9111 §5.2.1.2 max-stale that is no number takes nothing", ["Cache-Control: max-age=1", tag], after: 5,
            asking: ["Cache-Control: max-stale=x"], .validate),
        Row(
            "RFC 9111 §5.2.1.2 of two the smaller", ["Cache-Control: max-age=1", tag], after: 500,
            asking: ["Cache-Control: max-stale, max-stale=10"], .validate),
        Row(
            "RFC 9111 §5.2.1.2 max-stale does not lift no-cache", ["Cache-Control: no-cache", tag],
            asking: ["Cache-Control: max-stale"],
            .validate),
        Row(
            "RFC 9111 §5.2.1.3 min-fresh: enough left", ["Cache-Control: max-age=1500"], after: 500,
            asking: ["Cache-Control: min-fresh=1000"], .serve(500)),
        Row(
            "RFC 9111 §5.2.1.3 min-fresh: not enough left", ["Cache-Control: max-age=1500"], after: 501,
            asking: ["Cache-Control: min-fresh=1000"], .fetch),
        Row(
            "RFC 9111 §5.2.1.3 min-fresh: never enough", ["Cache-Control: max-age=1500"],
            asking: ["Cache-Control: min-fresh=2000"],
            .fetch),
        Row(
            "RFC 9111 §5.2.1.3 min-fresh: too old on arrival", ["Cache-Control: max-age=1500", "Age: 1000"],
            asking: ["Cache-Control: min-fresh=1000"], .fetch),
        Row(
            "RFC 9111 §5.2.1.3 min-fresh bars what is stale, whatever max-stale says", ["Cache-Control: max-age=1"], after: 2,
            asking: ["Cache-Control: min-fresh=1, max-stale"], .fetch),
        Row("RFC 9111 §5.2.1.4 no-cache without a validator", [fresh], asking: ["Cache-Control: no-cache"], .fetch),
        Row("RFC 9111 §5.2.1.4 no-cache by ETag", [fresh, tag], asking: ["Cache-Control: no-cache"], .validate),
        Row(
            "RFC 9111 §5.2.1.4 no-cache by Last-Modified", [fresh, "Last-Modified: {-1000}"], asking: ["Cache-Control: no-cache"],
            .validate),
        Row(
            "RFC 9111 §5.2.1.4 no-cache in any case and company", [fresh, tag], asking: ["Cache-Control: foo, No-Cache"],
            .validate),
        Row("RFC 9111 §5.2.1.5 no-store passes the cache by", [fresh, tag], asking: ["Cache-Control: no-store"], .fetch),
        Row("RFC 9111 §5.2.1.5 no-store is not kept", [fresh], first: ["Cache-Control: no-store"], .notKept),
        Row("RFC 9111 §5.2.1.7 only-if-cached: there", [fresh], after: 9, asking: ["Cache-Control: only-if-cached"], .serve(9)),
        Row(
            "RFC 9111 §5.2.1.7 only-if-cached: stale", ["Cache-Control: max-age=1", tag], after: 9,
            asking: ["Cache-Control: only-if-cached"], .gatewayTimeout),
        Row(
            "RFC 9111 §5.2.1.7 only-if-cached: stale will do", ["Cache-Control: max-age=1"], after: 9,
            asking: ["Cache-Control: only-if-cached, max-stale"], .serve(9)),
        Row(
            "RFC 9111 §5.2.1.7 only-if-cached and no-cache exclude each other", [fresh, tag],
            asking: ["Cache-Control: only-if-cached, no-cache"], .gatewayTimeout),
        Row(
            "RFC 9111 §5.2.1.7 only-if-cached validates nothing in the background",
            ["Cache-Control: max-age=1, stale-while-revalidate=60", tag], after: 9, asking: ["Cache-Control: only-if-cached"],
            .serve(9)),
        Row(
            "RFC 9111 §5.4 Pragma: no-cache where there is no Cache-Control", [fresh, tag], asking: ["Pragma: no-cache"],
            .validate),
        Row("RFC 9111 §5.4 Pragma: no-cache in any case", [fresh, tag], asking: ["Pragma: foo, No-Cache"], .validate),
        Row(
            "RFC 9111 §5.4 Cache-Control goes before Pragma", [fresh, tag],
            asking: ["Pragma: no-cache", "Cache-Control: max-age=60"],
            .serve(0)),
        Row("RFC 9111 §5.4 another Pragma means nothing", [fresh], asking: ["Pragma: foo"], .serve(0)),
        Row(
            "RFC 9111 §3.5 Authorization bars nothing in a private cache", [fresh], asking: ["Authorization: Bearer 1"],
            first: ["Authorization: Bearer 1"], .serve(0)),
        Row("RFC 9110 §13.1.1 If-Match is for the server", [fresh, tag], asking: ["If-Match: \"a\""], .fetch),
        Row(
            "RFC 9110 §13.1.4 If-Unmodified-Since is for the server", [fresh, tag], asking: ["If-Unmodified-Since: {0}"], .fetch),
    ]

    /// RFC 5861.
    static let staleness: [Row] = [
        Row(
            "RFC 5861 §3 stale-while-revalidate: fresh", ["Cache-Control: max-age=60, stale-while-revalidate=30", tag], after: 59,
            .serve(59)),
        Row(
            "RFC 5861 §3 stale-while-revalidate: within its window",
            ["Cache-Control: max-age=60, stale-while-revalidate=30", tag], after: 61, .serveAndValidate(61)),
        Row(
            "RFC 5861 §3 stale-while-revalidate: without a validator", ["Cache-Control: max-age=60, stale-while-revalidate=30"],
            after: 61, .serveAndValidate(61)),
        Row(
            "RFC 5861 §3 stale-while-revalidate: without a validator, after its window",
            ["Cache-Control: max-age=60, stale-while-revalidate=30"], after: 91, .fetch),
        Row(
            "RFC 5861 §3 stale-while-revalidate: at the end of its window",
            ["Cache-Control: max-age=60, stale-while-revalidate=30", tag], after: 90, .validate),
        Row(
            "RFC 5861 §3 stale-while-revalidate: after its window",
            ["Cache-Control: max-age=60, stale-while-revalidate=30", tag], after: 91, .validate),
        Row(
            "RFC 5861 §3 stale-while-revalidate on a line of its own",
            ["Cache-Control: max-age=60", "Cache-Control: stale-while-revalidate=30", tag], after: 61, .serveAndValidate(61)),
        Row(
            "RFC 5861 §3 stale-while-revalidate with Expires",
            ["Expires: {60}", "Cache-Control: stale-while-revalidate=30", tag], after: 61, .serveAndValidate(61)),
        Row(
            "RFC 5861 §3 a window that is no number", ["Cache-Control: max-age=60, stale-while-revalidate=x", tag], after: 61,
            .validate),
        Row(
            "RFC 5861 §3 a window of nothing", ["Cache-Control: max-age=60, stale-while-revalidate=0", tag], after: 61, .validate),
        Row(
            "RFC 5861 §3 a window without end", ["Cache-Control: max-age=60, stale-while-revalidate=99999999999999999999", tag],
            after: 1e6, .serveAndValidate(1_000_000)),
        Row(
            "RFC 5861 §3 of two windows the shorter",
            ["Cache-Control: max-age=60, stale-while-revalidate=90, stale-while-revalidate=5", tag], after: 70, .validate),
        Row(
            "RFC 9111 §5.2.2.2 must-revalidate bars it",
            ["Cache-Control: max-age=60, stale-while-revalidate=30, must-revalidate", tag], after: 61, .validate),
        Row(
            "RFC 9111 §5.2.2.4 no-cache bars it", ["Cache-Control: no-cache, stale-while-revalidate=30", tag], after: 1, .validate
        ),
        Row(
            "RFC 9111 §5.2.1.4 a request's no-cache bars it", ["Cache-Control: max-age=60, stale-while-revalidate=30", tag],
            after: 61, asking: ["Cache-Control: no-cache"], .validate),
        Row(
            "RFC 9111 §5.2.1.1 a request's max-age bars it", ["Cache-Control: max-age=60, stale-while-revalidate=30", tag],
            after: 61, asking: ["Cache-Control: max-age=10"], .validate),
        Row(
            "RFC 9111 §5.2.1.3 a request's min-fresh bars it", ["Cache-Control: max-age=60, stale-while-revalidate=30", tag],
            after: 61, asking: ["Cache-Control: min-fresh=1"], .validate),
    ]

    static let otherPolicies: [Row] = [
        Row("aggressive: stale is used", ["Cache-Control: max-age=0"], after: 1e6, policy: .aggressive, .serve(1_000_000)),
        Row("aggressive: no information is needed", [], after: 1e6, policy: .aggressive, .serve(1_000_000)),
        Row(
            "aggressive: no-cache is used", ["Cache-Control: no-cache, must-revalidate"], after: 9, policy: .aggressive, .serve(9)
        ),
        Row("aggressive: no-store is not kept", ["Cache-Control: no-store"], policy: .aggressive, .notKept),
        Row("aggressive: a failure is not kept", ["Cache-Control: max-age=60"], status: 404, policy: .aggressive, .notKept),
        Row("aggressive: a request's no-cache asks", [tag], asking: ["Cache-Control: no-cache"], policy: .aggressive, .validate),
        Row("aggressive: Vary holds", ["Vary: Foo"], asking: ["Foo: 2"], first: ["Foo: 1"], policy: .aggressive, .fetch),
        Row("off: nothing is kept", [fresh], policy: .off, .notKept),
    ]

    static let errorStatuses: [Row] = [
        Row("a 404 is fresh as long as it says", ["Cache-Control: max-age=60"], after: 59, status: 404, .serve(59)),
        Row("a 404 is never fresh for more than five minutes", [aYear], after: 299, status: 404, .serve(299)),
        Row("a 404 is fetched again after five minutes", [aYear], after: 301, status: 404, .fetch),
        Row("a 410 that may be kept for ever is fetched again", [aYear + ", immutable"], after: 301, status: 410, .fetch),
        Row(
            "the policy sets the limit", [aYear], after: 301, status: 404,
            policy: HTTPCachePolicy(maximumErrorLifetime: .seconds(600)), .serve(301)),
        Row("an image keeps its year", [aYear], after: 301, .serve(301)),
    ]
    private static let aYear = "Cache-Control: max-age=31536000"

    @Test(arguments: errorStatuses) func anErrorResponseIsStoredForMinutesAtMost(_ row: Row) {
        #expect(row.outcome == row.verdict)
    }
    @Test(arguments: ofResponses) func directivesOfResponsesAreObeyed(_ row: Row) { #expect(row.outcome == row.verdict) }
    @Test(arguments: ofRequests) func directivesOfRequestsAreObeyed(_ row: Row) { #expect(row.outcome == row.verdict) }
    @Test(arguments: staleness) func staleWhileRevalidateHasItsWindow(_ row: Row) { #expect(row.outcome == row.verdict) }
    @Test(arguments: otherPolicies) func thePolicyChangesTheRules(_ row: Row) { #expect(row.outcome == row.verdict) }

    @Test func offServesNothing() {
        let stored = Wire.stored([Self.fresh])
        #expect(HTTPCachePolicy.off.decision(for: Wire.request(), stored: stored, now: Wire.start) == .fetch)
        let only = Wire.request(["Cache-Control: only-if-cached"])
        #expect(HTTPCachePolicy.off.decision(for: only, stored: stored, now: Wire.start) == .gatewayTimeout)
    }

    @Test("RFC 9111 §5.2.1.7 only-if-cached with nothing stored is a 504")
    func onlyIfCachedWithNothingStored() {
        let only = Wire.request(["Cache-Control: only-if-cached"])
        #expect(HTTPCachePolicy.standard.decision(for: only, stored: nil, now: Wire.start) == .gatewayTimeout)
        #expect(HTTPCachePolicy.standard.decision(for: Wire.request(), stored: nil, now: Wire.start) == .fetch)
    }

    private static let policies: [(CachePolicy, Double, HTTPCacheKind)] = [
        (CachePolicy.memoryAndDisk, 10.0, HTTPCacheKind.serve), (.memoryAndDisk, 70, .revalidate), (.diskOnly, 10, .serve),
        (.memoryOnly, 10, .fetch), (.noCache, 10, .fetch), (.reload, 10, .fetch), ([.onlyIfCached, .readsDisk], 70, .serve),
        // A cache that the policy does not read is never used.
        ([.onlyIfCached], 10, .gatewayTimeout), ([.memoryOnly, .onlyIfCached], 10, .gatewayTimeout),
        (.cacheOnly, 70, .serve), (.revalidate, 10, .revalidate), (.revalidate, 70, .revalidate),
        ([.readsDisk, .revalidatesDisk, .onlyIfCached], 10, .gatewayTimeout), ([.revalidatesDisk], 10, .fetch),
    ]

    /// The cache policies of loads.
    @Test(arguments: policies)
    func theCachePolicyOfTheLoadIsObeyed(_ policy: CachePolicy, _ after: Double, _ kind: HTTPCacheKind) {
        let stored = Wire.stored(["Cache-Control: max-age=60", Self.tag])
        var request = Wire.request()
        request.cachePolicy = policy
        #expect(HTTPCacheKind(HTTPCachePolicy.standard.decision(for: request, stored: stored, now: Wire.start + after)) == kind)
        #expect(HTTPCachePolicy.standard.allowsStoring(stored, for: request) == policy.writesDisk)
    }
}

/// A decision without its associated values.
enum HTTPCacheKind: Hashable, Sendable {
    case serve, serveWhileRevalidating, revalidate, fetch, gatewayTimeout

    init(_ decision: HTTPCacheDecision) {
        switch decision {
        case .serve: self = .serve
        case .serveWhileRevalidating: self = .serveWhileRevalidating
        case .revalidate: self = .revalidate
        case .fetch: self = .fetch
        case .gatewayTimeout: self = .gatewayTimeout
        }
    }
}
