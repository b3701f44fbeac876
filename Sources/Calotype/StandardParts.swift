internal import ImageCaching
public import ImageCore
internal import ImageDecoding
public import ImageLoading
internal import ImageNetworking

/// The standard wiring: which parts a loader is put together from, and in which order. Each can be replaced.
///
/// ```swift
/// let loader = ImageLoader.standard {
///     $0.memoryCache = MemoryCache(limits: .init(cost: 40_000_000))
///     $0.options.timeout = .seconds(10)
/// }
/// ```
public struct StandardParts: Sendable {
    /// Fetches `http` and `https`; libcurl's multi interface.
    public var network: any DataLoading = CurlLoader()
    /// Loaders for further URL schemes, by scheme; they go before the built-in ones.
    public var schemes: [String: any DataLoading] = [:]
    /// Wrap every fetch, the first one outermost; none.
    public var interceptors: [any RequestInterceptor] = []
    /// Asked before the built-in decoders, the last one first; none.
    public var decoders: [any Decoding] = []
    /// Decoded images; a ``MemoryCache`` with its default limits. `nil` keeps none.
    public var memoryCache: (any Caching)? = MemoryCache()
    /// Original bytes; a ``DiskCache`` in the user's cache directory. `nil` keeps none.
    public var dataCache: (any DataCaching)? = DiskCache()
    /// The app's own defaults: the lowest of the three layers of options.
    public var options = OptionLayer()
    /// Told of every load; none.
    public var observers: [any LoadObserving] = []

    public init() {}

    /// The parts put together, from the inside out.
    public func makeConfiguration() -> ImageLoader.Configuration {
        // The line, or the disk: who answers is decided by the URL's scheme.
        var router = SchemeRouter.standard(network: network)
        for (scheme, loader) in schemes { router = router.registering(loader, for: [scheme]) }
        // What the user wraps around every fetch.
        let loader: any DataLoading = interceptors.isEmpty ? router : InterceptedLoader(router, interceptors: interceptors)
        // What the bytes become.
        let registry = DecoderRegistry()
        for decoder in decoders { _ = registry.register(decoder) }

        var configuration = ImageLoader.Configuration(
            dataLoader: loader, decoder: registry, memoryCache: memoryCache, dataCache: dataCache)
        configuration.globalOptions = options
        configuration.observers = observers
        return configuration
    }
}

extension ImageLoader {
    /// A loader made of the standard parts, some of them changed.
    public static func standard(_ change: (inout StandardParts) -> Void = { _ in }) -> ImageLoader {
        var parts = StandardParts()
        change(&parts)
        return ImageLoader(parts.makeConfiguration())
    }

    /// The loader that an app shares; made of the standard parts at its first use. Replace it at launch, before that:
    /// loads that run on the old one end as cancelled when nothing else holds it.
    public static var shared: ImageLoader {
        get {
            sharedLoader.withLock { loader in
                let shared = loader ?? .standard()
                loader = shared
                return shared
            }
        }
        set { sharedLoader.withLock { $0 = newValue } }
    }
}

private let sharedLoader = Lock<ImageLoader?>(nil)
