public import ImageCaching
public import ImageCore
public import ImageLoading
public import ImageNetworking

/// Every part and every limit of a loader with the standard wiring, the same on every platform. Each can be replaced.
///
/// ```swift
/// let loader = ImageLoader.standard {
///     $0.memoryCache = MemoryCache(limits: .init(cost: 40_000_000))
///     $0.limits.fetchesPerHost = 12
///     $0.options.timeout = .seconds(10)
/// }
/// ```
public struct StandardConfiguration: Sendable {
    // MARK: Network

    /// Fetches `http` and `https` URLs; `nil`, the default, takes the ``StandardTransport`` of the platform with the settings of
    /// ``transport``.
    ///
    /// Another loader has limits of its own. With a ``sourcePolicy``, the wiring checks the URLs that it fetches and the URLs that
    /// its responses come from; only the loader itself can check the addresses that it connects to. A `CurlLoader` without a
    /// policy is replaced by one with the same configuration and this policy.
    public var network: (any DataLoading)?
    /// The settings of the platform's transport: libcurl on Linux, URLSession on Apple platforms. What ``limits`` and
    /// ``sourcePolicy`` set here too is taken from there.
    public var transport = StandardTransport.Configuration()
    /// Loaders for further URL schemes, by scheme; they take precedence over the built-in ones. None by default.
    public var schemes: [String: any DataLoading] = [:]
    /// When a failed fetch is retried; ``RetryPolicy/default``. `nil` never retries.
    ///
    /// Its count of retries is the default of the option `retries`: a value of that option in any layer wins over it.
    public var retryPolicy: RetryPolicy? = .default
    /// When a host that keeps failing is no longer contacted for a while; `nil`, the default, never.
    public var circuitBreaker: CircuitBreaker.Policy?
    /// Whether interrupted downloads are resumed; `true` by default. With a ``DiskCache``, partial bodies survive the process.
    public var resumesDownloads = true
    /// The limit for all downloads together, in bytes per second; 0, the default, sets none.
    public var bytesPerSecond = 0
    /// Which URLs and addresses may be fetched, for URLs from untrusted callers; `nil`, the default, allows all. With a policy,
    /// local files and `data:` URLs are refused too. Give such a loader a ``dataCache`` of its own: a host's address is checked
    /// on connecting, not when an entry is read that another loader stored.
    public var sourcePolicy: SourcePolicy?
    /// Reports the status of the network; `nil`, the default, for none. With a monitor, loads follow ``whenOffline`` and the
    /// option `allowsExpensiveNetwork`, and while the network is constrained (low-data mode) no prefetch starts a fetch as long
    /// as other loads run.
    public var networkMonitor: NetworkMonitor?
    /// What a load does when ``networkMonitor`` reports no network: it serves stale entries of ``dataCache``, waits for the
    /// network, or fails at once. Without a ``dataCache``, serving stale entries means failing at once.
    public var whenOffline = NetworkAwareLoader.OfflineBehavior.serveStale
    /// Wrap every fetch, the first one outermost; none. They lie outside ``dataCache``, so what they add to a request is part of
    /// its cache key.
    public var interceptors: [any RequestInterceptor] = []
    /// Wrap every attempt, the first one outermost; none. They lie inside ``dataCache``, resumption and retries, and see only
    /// requests to web servers: the place for signatures that differ with every attempt, and for tokens that change while the
    /// images behind them do not.
    public var networkInterceptors: [any RequestInterceptor] = []

    // MARK: Caches

    /// Decoded images; a ``MemoryCache`` with its default limits. `nil` stores none.
    public var memoryCache: (any Caching)? = MemoryCache()
    /// Original bytes; a ``DiskCache`` in the user's cache directory. `nil` stores none.
    public var dataCache: (any DataCaching)? = DiskCache()
    /// How ``dataCache`` stores and serves responses of web servers: by default as HTTP prescribes.
    /// ``HTTPCachePolicy/aggressive`` serves stored responses of any age; ``HTTPCachePolicy/off`` stores none.
    public var httpCachePolicy: HTTPCachePolicy = .standard
    /// Names of request headers, in any case, whose values do not select a different response unless `Vary` names them;
    /// ``HTTPCache/standardNeutralFields``. Add headers that differ with every request, such as a trace id.
    public var neutralHeaders = HTTPCache.standardNeutralFields
    /// The largest response body to store, in bytes; 64 MB.
    public var maximumStoredResponseBytes = 64 << 20

    // MARK: Images

    /// Tried before the built-in decoders, the last one first; none.
    public var decoders: [any Decoding] = []
    /// Tried before the built-in encoders, the last one first, to store processed images; none.
    public var encoders: [any Encoding] = []
    /// The format in which ``DiskStorage`` stores processed images; PNG, which is lossless.
    public var processedFormat = ImageFormat.png
    /// How processed images are encoded.
    public var processedEncoding = EncodeOptions()
    /// The shortest time from one preview of an image to the next; 0.5 s.
    public var previewInterval = Duration.milliseconds(500)

    // MARK: Loads

    /// The most that the loader accepts and does at a time.
    public var limits = ImageLoader.Limits()
    /// The app's defaults: the lowest of the three layers of options.
    public var options = OptionLayer()
    /// Called with the events of every load; none.
    public var observers: [any LoadObserving] = []
    /// The clock that measures intervals; tests replace it.
    public var clock: any Clock<Duration> = ContinuousClock()

    public init() {}
}
