public import ImageCaching
public import ImageCore
internal import ImageDecoding
public import ImageLoading
public import ImageNetworking

/// The standard wiring: which parts a loader is put together from, and in which order. Each can be replaced.
///
/// ```swift
/// let loader = ImageLoader.standard {
///     $0.memoryCache = MemoryCache(limits: .init(cost: 40_000_000))
///     $0.options.timeout = .seconds(10)
/// }
/// ```
public struct StandardParts: Sendable {
    /// Fetches `http` and `https`; `nil` takes a ``CurlLoader``. Where there is a ``sourcePolicy``, a `CurlLoader` that has none
    /// itself gives way to one of its configuration that keeps to it. Of another layer only the URLs that it is given and that
    /// its answers come from are checked: the addresses that it connects to are its own affair.
    public var network: (any DataLoading)?
    /// When a failed fetch is tried again; ``RetryPolicy/default``, within the load's own option `retries`. `nil` never does.
    /// Where ``options`` leave that option alone and the policy has more tries than it allows, it is as many.
    public var retryPolicy: RetryPolicy? = .default
    /// When a host that keeps failing is left alone for a while; `nil`, the default, never does.
    public var circuitBreaker: CircuitBreaker.Policy?
    /// Whether downloads that broke off are gone on with; yes. With a ``DiskCache`` their beginnings survive the process.
    public var resumesDownloads = true
    /// The most that all downloads together take, in bytes per second; 0, the default, sets no limit.
    public var bytesPerSecond = 0
    /// What may be fetched, for URLs that strangers chose; `nil` allows everything. With a policy, local files and `data`
    /// URLs are refused too. Give such a loader a ``dataCache`` of its own: a host's address is checked on connecting, not when
    /// an entry is read that another loader stored.
    public var sourcePolicy: SourcePolicy?
    /// Loaders for further URL schemes, by scheme; they go before the built-in ones.
    public var schemes: [String: any DataLoading] = [:]
    /// Tells what the network is like; `nil`, the default, and nobody asks. With a monitor, loads heed ``whenOffline`` and
    /// the option `allowsExpensiveNetwork`, and while the network is constrained (low-data mode) no prefetch begins to fetch
    /// as long as anything else loads.
    public var networkMonitor: NetworkMonitor?
    /// What becomes of a load that finds no network, where ``networkMonitor`` tells: it is served what ``dataCache`` has,
    /// however old. It may wait for the network instead, or fail at once, as it always does without a ``dataCache``.
    public var whenOffline = NetworkAwareLoader.OfflineBehavior.serveStale
    /// Wrap every fetch, the first one outermost; none. They lie outside of ``dataCache``, so that what they add to a request is
    /// part of what its answer is kept under.
    public var interceptors: [any RequestInterceptor] = []
    /// Wrap every try on the line, the first one outermost; none. They lie inside of ``dataCache``, resumption and retries, and
    /// see only what goes to a web server: the place for a signature that is another for every try, and for a token that
    /// changes while the pictures behind it do not.
    public var networkInterceptors: [any RequestInterceptor] = []
    /// Asked before the built-in decoders, the last one first; none.
    public var decoders: [any Decoding] = []
    /// Decoded images; a ``MemoryCache`` with its default limits. `nil` keeps none.
    public var memoryCache: (any Caching)? = MemoryCache()
    /// Original bytes; a ``DiskCache`` in the user's cache directory. `nil` keeps none.
    public var dataCache: (any DataCaching)? = DiskCache()
    /// How ``dataCache`` keeps and uses what web servers answer: by the rules of HTTP. ``HTTPCachePolicy/aggressive`` uses
    /// what is stored whatever its age; ``HTTPCachePolicy/off`` leaves the web out.
    public var httpCachePolicy: HTTPCachePolicy = .standard
    /// The app's own defaults: the lowest of the three layers of options.
    public var options = OptionLayer()
    /// Told of every load; none.
    public var observers: [any LoadObserving] = []

    public init() {}

    /// For servers that fetch what strangers name: only the public web, no private address, pictures of at most 50
    /// megapixels and 20 MB, 10 s. Its ``dataCache`` has a directory of its own, `server` in the usual one, so that it serves
    /// nothing that a loader without a policy fetched from a private host.
    public static var server: StandardParts {
        var parts = StandardParts()
        parts.sourcePolicy = .publicWeb
        let directory = DiskCache.Configuration.defaultDirectory.appending(path: "server", directoryHint: .isDirectory)
        parts.dataCache = DiskCache(.init(directory: directory))
        parts.options.maximumPixels = 50_000_000
        parts.options.maximumResponseBytes = 20_000_000
        parts.options.timeout = .seconds(10)
        return parts
    }

    /// The parts put together, from the inside out.
    public func makeConfiguration() -> ImageLoader.Configuration {
        // The line itself, and patience with it.
        let line = makeLine()
        let sparing = circuitBreaker.map { CircuitBreakingLoader(line, policy: $0) as any DataLoading } ?? line
        let signed: any DataLoading =
            networkInterceptors.isEmpty ? sparing : InterceptedLoader(sparing, interceptors: networkInterceptors)
        let patient = retryPolicy.map { RetryingLoader(signed, policy: $0) as any DataLoading } ?? signed
        let modest: any DataLoading =
            bytesPerSecond > 0 ? ThrottledLoader(patient, bytesPerSecond: bytesPerSecond) : patient
        // The rate is that of the line: what is there from an earlier load does not count.
        let store = PartialBodyStore(backing: dataCache as? DiskCache)
        let resuming: any DataLoading = resumesDownloads ? ResumingLoader(modest, store: store) : modest
        // What was answered before, as far as it still holds; filled with what comes in.
        let responses = dataCache.map { HTTPCache(store: $0, policy: httpCachePolicy) }
        // Without it nobody would serve what is stale, nor keep the question for it from the line.
        let whenOffline = responses == nil && whenOffline == .serveStale ? .fail : whenOffline
        func aware(_ loader: any DataLoading) -> any DataLoading {
            let remembering = responses.map { CachedLoader(loader, cache: $0) as any DataLoading } ?? loader
            return networkMonitor.map { NetworkAwareLoader(remembering, monitor: $0, whenOffline: whenOffline) } ?? remembering
        }
        // The line, or the disk: who answers is decided by the URL's scheme, after the policy has let it pass.
        var router = SchemeRouter.standard(network: aware(resuming))
        for (scheme, loader) in schemes {
            let isWeb = ["http", "https"].contains(scheme.lowercased())
            router = router.registering(isWeb ? aware(loader) : loader, for: [scheme])
        }
        let guarded = sourcePolicy.map { GuardedLoader(router, policy: $0) as any DataLoading } ?? router
        // What the user wraps around every fetch.
        let loader = interceptors.isEmpty ? guarded : InterceptedLoader(guarded, interceptors: interceptors)
        // What the bytes become.
        let registry = DecoderRegistry()
        for decoder in decoders { _ = registry.register(decoder) }

        var configuration = ImageLoader.Configuration(
            dataLoader: loader, decoder: registry, memoryCache: memoryCache, dataCache: dataCache)
        configuration.responseCache = responses.map { responses in
            sourcePolicy.map { GuardedResponses(cache: responses, policy: $0) as any ResponseCaching } ?? responses
        }
        configuration.encoder = EncoderRegistry()
        configuration.onClear = {
            responses?.forgetLooks()
            await store.removeAll()
        }
        configuration.globalOptions = options
        if options.retries == nil, let retries = retryPolicy.map({ $0.maximumAttempts - 1 }), retries > LoadOptions().retries {
            configuration.globalOptions.retries = min(retries, 100)
        }
        configuration.observers = observers
        if let networkMonitor { configuration.networkUpdates = { networkMonitor.updates } }
        return configuration
    }

    /// What is to ask web servers: ``network``, unless that would leave redirects and addresses unchecked that could be checked.
    private func makeLine() -> any DataLoading {
        let own = network as? CurlLoader
        if let network, sourcePolicy == nil || own == nil || own?.configuration.sourcePolicy != nil { return network }
        var configuration = own?.configuration ?? CurlLoader.Configuration()
        configuration.sourcePolicy = sourcePolicy
        return CurlLoader(configuration)
    }
}

extension ImageLoader {
    /// A loader made of the standard parts, or of a preset's, some of them changed.
    public static func standard(
        _ preset: StandardParts = StandardParts(), _ change: (inout StandardParts) -> Void = { _ in }
    ) -> ImageLoader {
        var parts = preset
        change(&parts)
        return ImageLoader(parts.makeConfiguration())
    }

    /// The loader that an app shares; made of the standard parts at its first use. Replace it at launch, before that:
    /// loads that run on the old one end as cancelled when nothing else holds it.
    public static var shared: ImageLoader {
        get { sharedLoader.current }
        set { sharedLoader.current = newValue }
    }
}

private let sharedLoader = SharedLoader { .standard() }
