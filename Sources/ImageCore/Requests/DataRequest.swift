public import HTTPTypes

/// A request to a network layer.
public struct DataRequest: Sendable {
    /// The URL to fetch.
    public var url: URL
    /// What identifies the image in place of the URL (``ImageRequest/cacheKey``); `nil`, the default, for the URL
    /// itself. A cache or a store of responses uses ``resource``.
    public var cacheKey: String?
    /// The HTTP method; `GET`.
    public var method: HTTPRequest.Method
    /// The HTTP header fields; none.
    public var headerFields: HTTPFields
    /// The body to send; `nil`, the default, sends none.
    public var body: Data?
    /// The longest time without progress: while the attempt waits for a connection or the response, or between two
    /// parts of the body; 30 s. Time in which the body is not read does not count.
    public var timeout: Duration
    /// When the whole load must have ended, including all attempts and waits; `nil`, the default, sets no
    /// deadline.
    public var deadline: Deadline?
    /// What a lookup in the response cache found, for the loader that completes the exchange. The engine sets it from
    /// ``ResponseLookup/miss(_:)``. With `nil`, the default, the loader looks the request up in its cache itself.
    public var cacheTransaction: (any ResponseTransaction)?
    /// Whether the caller judges the body before it is stored: a loader with a cache then stores nothing by itself, and
    /// returns ``DataResponse/commit``. `false` by default; the engine sets it.
    public var defersStoring = false
    /// Whether the caller has something to show in place of a failure: then no loader tries again. `nil`, the default,
    /// if it has nothing; the engine sets it where a stale response is stored.
    package var standsIn: (@Sendable (_ failure: ImageError) -> Bool)?
    /// The largest body to accept, in bytes; `nil`, the default, applies the limit of the loader.
    public var maximumResponseBytes: Int?
    /// The highest priority of the loads that wait for the fetch when it starts. It does not change later: a fetch
    /// waits only in the engine's queue, which follows every change, and a network layer starts what it is given.
    public var priority: LoadPriority
    /// How many attempts may follow the first, retries and resumptions together; `nil`, the default, applies the count
    /// of the retrying loader's policy.
    public var retries: Int?
    /// Whether expensive networks, such as cellular ones, may be used; `true`.
    public var allowsExpensiveNetwork: Bool
    /// Whether a loader with a cache may serve a stored response, store the new one, and use the network.
    public var cachePolicy: CachePolicy
    /// The age from which a stored response counts as stale whatever its header fields say; `nil`, the default, leaves
    /// that to them (``LoadOptions/diskLifetime``).
    public var maximumAge: Duration?
    /// The purpose of the load that started the fetch. Loads that join the fetch later do not change it.
    public var purpose: LoadPurpose

    /// What else changes the response: what interceptors declare (``RequestInterceptor/identity(for:)``) and what the
    /// options of plug-ins say (``OptionEffect/response``). A cache or a store of responses makes it part of its keys.
    /// None by default.
    public var identities: [String] = []
    /// The options of plug-ins; all at their defaults.
    public var extra = ExtraOptions()
    /// Names, in lower case, of the header fields that interceptors have added and for which ``identities`` stand in
    /// keys.
    package var identifiedFields: Set<String> = []

    /// The key of the URL, or the ``cacheKey`` in its place, without method, header fields and ``identities``.
    public var resource: ResourceKey { ImageRequest(.url(url, cacheKey: cacheKey)).resource }

    /// Creates a request without deadline and cache key.
    public init(
        url: URL, method: HTTPRequest.Method = .get, headerFields: HTTPFields = HTTPFields(), body: Data? = nil,
        timeout: Duration = .seconds(30), maximumResponseBytes: Int? = nil, priority: LoadPriority = .normal, retries: Int? = nil,
        allowsExpensiveNetwork: Bool = true, cachePolicy: CachePolicy = .memoryAndDisk,
        purpose: LoadPurpose = .plain
    ) {
        self.url = url
        self.method = method
        self.headerFields = headerFields
        self.body = body
        self.timeout = timeout
        self.maximumResponseBytes = maximumResponseBytes
        self.priority = priority
        self.retries = retries
        (self.allowsExpensiveNetwork, self.cachePolicy, self.purpose) = (allowsExpensiveNetwork, cachePolicy, purpose)
    }
}
