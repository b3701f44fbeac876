public import ImageCaching
public import ImageCore
public import ImageLoading
public import ImageNetworking

/// The components, limits and options of a standard loader. The same on every platform; each can be replaced.
///
/// ```swift
/// let loader = ImageLoader.standard {
///     $0.memoryCache = MemoryCache(limits: .init(maximumBytes: 40_000_000))
///     $0.limits.fetchesPerHost = 12
///     $0.options.timeout = .seconds(10)
/// }
/// ```
public struct StandardConfiguration: Sendable {
    // MARK: Network

    /// The loader of `http` and `https` URLs; `nil`, the default, for the ``StandardTransport`` of the platform with
    /// the settings of ``transport``.
    ///
    /// A loader that is set here keeps its own limits of connections; the limit of bytes is part of each request. With
    /// a ``sourcePolicy``, the URLs of its requests and responses are checked, but only the loader itself can check the
    /// addresses that it connects to. A `CurlLoader` without a policy is replaced by one with the same configuration
    /// and limits, and this policy.
    public var network: (any DataLoading)?
    /// The settings of the transport of the platform: libcurl on Linux, URLSession on Apple platforms. Its limits are
    /// ``limits``; its policy is ``sourcePolicy``, if that is set.
    public var transport = StandardTransport.Configuration()
    /// Loaders of further URL schemes, by scheme; none by default. They take precedence over the built-in ones.
    public var schemes: [String: any DataLoading] = [:]
    /// When a failed fetch is retried; ``RetryPolicy/default``. With `nil`, fetches are not retried.
    ///
    /// The count of retries of the policy, which includes resumptions, applies to loads whose options do not set
    /// `retries`.
    public var retryPolicy: RetryPolicy? = .default
    /// How long loads wait for a host that limits the rate of requests (429 or 503 with `Retry-After`), and when a host
    /// that keeps failing gets fewer requests; the default policy. With `nil`, each load waits and retries alone.
    public var hostBackoff: HostBackoff.Policy? = HostBackoff.Policy()
    /// Whether interrupted downloads are resumed; `true`. With a ``dataCache``, also after a restart of the process.
    public var resumesDownloads = true
    /// The limit of all downloads together, in bytes per second, which can be changed at any time; `nil`, the default,
    /// for none.
    public var bandwidthLimit: BandwidthLimit?
    /// Which URLs and addresses may be fetched, for URLs from untrusted callers; `nil`, the default, allows all.
    ///
    /// A policy also forbids local files and `data:` URLs. Set a separate ``dataCache`` for such a loader: the address
    /// of a host is checked on connecting, but not when an entry is read that another loader stored.
    public var sourcePolicy: SourcePolicy?
    /// Reports the status of the network; ``NetworkMonitor/shared``, which begins to watch the system when the first
    /// request is about to be sent. `nil` for none.
    ///
    /// ``whenOffline`` and the option `allowsExpensiveNetwork` depend on it, and while the network is constrained
    /// (low-data mode), prefetches do not fetch while other loads run. Linux does not report expensive and constrained
    /// networks: set them with ``NetworkMonitor/setExpensive(_:)`` and ``NetworkMonitor/setConstrained(_:)``.
    public var networkMonitor: NetworkMonitor? = .shared
    /// What a load does while ``networkMonitor`` reports no network: it serves stale entries of ``dataCache``, waits
    /// for the network, or fails. Serves stale entries by default, and otherwise tries the network all the same.
    public var whenOffline = NetworkAwareLoader.OfflineBehavior.serveStale
    /// Interceptors around every fetch, the first one outermost; none. They run outside of ``dataCache``, so what they
    /// add to a request is part of its cache key: the identity that they declare
    /// (``RequestInterceptor/identity(for:)``), or else the header fields themselves.
    public var interceptors: [any RequestInterceptor] = []
    /// Interceptors around every attempt, the first one outermost; none. They run inside of ``dataCache``, resumption
    /// and retries, and only for requests to web servers. Use them for signatures that differ for each attempt, and for
    /// tokens that change while the images do not. Of what they add, only the identity that they declare is part of a
    /// cache key.
    public var networkInterceptors: [any RequestInterceptor] = []

    // MARK: Caches

    /// The cache of decoded images; a ``MemoryCache`` with its default limits. `nil` for none.
    public var memoryCache: (any Caching)? = MemoryCache()
    /// The cache of encoded images; a ``DiskCache`` in the cache directory of the user. `nil` for none.
    public var dataCache: (any DataCaching)? = DiskCache()
    /// How ``dataCache`` stores and serves responses of web servers; ``HTTPCachePolicy/standard``, which follows RFC
    /// 9111. ``HTTPCachePolicy/aggressive`` serves stored responses of any age; ``HTTPCachePolicy/off`` stores none.
    public var httpCachePolicy: HTTPCachePolicy = .standard
    /// The names of request headers, in any case, whose values do not select a different response unless `Vary` names
    /// them; ``HTTPCache/standardNeutralFields``. Add headers that differ for each request, such as trace identifiers.
    public var neutralHeaders = HTTPCache.standardNeutralFields
    /// The current time, by which responses become stale; the system's clock. Tests replace it. ``clock`` measures
    /// intervals.
    public var now: @Sendable () -> Date = { Date() }

    // MARK: Images

    /// Decoders to try before the built-in ones, the last one first; none.
    public var decoders: [any Decoding] = []
    /// Encoders to try before the built-in ones, the last one first, for storing processed images and for
    /// ``ImageLoader/encoded(for:as:options:)``; none.
    public var encoders: [any Encoding] = []
    /// The format in which ``DiskStorage`` stores processed images; PNG, which is lossless.
    public var processedFormat = ImageFormat.png
    /// How processed images are encoded.
    public var processedEncoding = EncodeOptions()
    /// The minimum time between two previews of an image; 0.5 s.
    public var previewInterval = Duration.milliseconds(500)

    // MARK: Loads

    /// The limits of the loader.
    public var limits = ImageLoader.Limits()
    /// The default options of all requests: the lowest of the three layers.
    public var options = OptionLayer()
    /// The observers of all loads; none.
    public var observers: [any LoadObserving] = []
    /// The clock that measures intervals; tests replace it.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Creates the default configuration.
    public init() {}
}
