internal import ImageCaching
internal import ImageCore
internal import ImageDecoding
public import ImageLoading
internal import ImageNetworking

// Assembles the loaders from the inside out. docs/Networking.md explains the order.
extension StandardConfiguration {
    /// Assembles the components and returns the configuration of a loader.
    public func makeConfiguration() -> ImageLoader.Configuration {
        let responses = dataCache.map { makeResponseCache(storingIn: $0) }
        let partialBodies = PartialBodyStore(backing: dataCache)
        var configuration = ImageLoader.Configuration(
            dataLoader: makeLoader(responses, partialBodies), decoder: makeDecoder(), memoryCache: memoryCache,
            dataCache: dataCache)
        configuration.responseCache = responses
        if responses == nil { configuration.freshnessRules = makeResponseCache(storingIn: NoDataCache()).processedImageRules }
        configuration.otherStores = [partialBodies]
        configuration.identifyingInterceptors = networkInterceptors
        configuration.encoder = makeEncoder()
        (configuration.processedFormat, configuration.processedEncoding) = (processedFormat, processedEncoding)
        configuration.options = options
        configuration.limits = limits
        (configuration.previewInterval, configuration.clock) = (previewInterval, clock)
        configuration.observers = observers
        if let networkMonitor { configuration.networkUpdates = { networkMonitor.passiveUpdates } }
        return configuration
    }

    private func makeResponseCache(storingIn dataCache: any DataCaching) -> HTTPCache {
        var cache = HTTPCache(
            store: dataCache, policy: httpCachePolicy, neutralFields: neutralHeaders,
            maximumStoredBytes: limits.maximumStoredBytes, now: { [now] in now().timeIntervalSince1970 })
        if let sourcePolicy { cache.allowsServing = { (try? sourcePolicy.check($0)) != nil } }
        return cache
    }

    private func makeLoader(_ responses: HTTPCache?, _ partialBodies: PartialBodyStore) -> any DataLoading {
        var web = makeTransport()
        if let hostBackoff { web = HostBackoffLoader(web, policy: hostBackoff) }
        if !networkInterceptors.isEmpty { web = InterceptedLoader(web, interceptors: networkInterceptors) }
        if let retryPolicy { web = RetryingLoader(web, policy: retryPolicy) }
        if let bandwidthLimit { web = ThrottledLoader(web, limit: bandwidthLimit) }
        // Outside of the throttle, so that bytes which an earlier load received do not count.
        if resumesDownloads { web = ResumingLoader(web, store: partialBodies) }
        var router = SchemeRouter.standard(network: caching(web, responses))
        for (scheme, loader) in schemes {
            let isWeb = ["http", "https"].contains(scheme.lowercased())
            router = router.registering(isWeb ? caching(loader, responses) : loader, for: [scheme])
        }
        // Outermost, because the policy also forbids files and `data:` URLs.
        let guarded = sourcePolicy.map { GuardedLoader(router, policy: $0) as any DataLoading } ?? router
        return interceptors.isEmpty ? guarded : InterceptedLoader(guarded, interceptors: interceptors)
    }

    /// Returns a loader of web URLs with the HTTP cache and the network monitor around it.
    private func caching(_ loader: any DataLoading, _ responses: HTTPCache?) -> any DataLoading {
        // The engine revalidates in the background, within its limits.
        var cached = loader
        if let responses { cached = CachedLoader(loader, cache: responses) }
        guard let networkMonitor else { return cached }
        return NetworkAwareLoader(
            cached, monitor: networkMonitor, whenOffline: whenOffline, hasCache: responses != nil)
    }

    private func makeDecoder() -> DecoderRegistry {
        let registry = DecoderRegistry(Self.platformDecoders)
        for decoder in decoders { _ = registry.register(decoder) }
        return registry
    }

    private func makeEncoder() -> EncoderRegistry {
        let registry = EncoderRegistry(Self.platformEncoders)
        for encoder in encoders { registry.register(encoder) }
        return registry
    }
}

/// The store of a loader without a data cache.
private struct NoDataCache: DataCaching {
    func entry(for key: DataKey) -> DataEntry? { nil }
    func store(_ entry: DataEntry, for key: DataKey) {}
    func removeEntry(for key: DataKey) {}
    func removeAll() {}
}
