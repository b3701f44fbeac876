internal import ImageCore

/// The parts that a loader's stages use: caches, network layer, decoder, encoder and worker threads.
final class LoaderParts: Sendable {
    let configuration: ImageLoader.Configuration
    /// The decoder, whose images have exactly the target size.
    let decoder: TargetSizeDecoder
    /// The same, where it makes previews.
    let incrementalDecoder: (any IncrementalDecoding)?
    let workers: WorkerPool
    /// One thread for all previews, so that they never keep a worker from a whole image.
    let previewWorkers = WorkerPool(size: 1)
    /// One thread that encodes images for the data cache.
    let encodingWorkers = WorkerPool(size: 1)
    let clock: ErasedClock
    /// The `Accept` field of requests: the formats that the decoder reads. Other formats are accepted too, and judged by their
    /// bytes.
    let accept: String

    /// The interceptors within the network layer that may declare an identity.
    let interceptors: [any RequestInterceptor]

    init(_ configuration: ImageLoader.Configuration) {
        self.configuration = configuration
        (memoryCache, dataCache) = (configuration.memoryCache, configuration.dataCache)
        interceptors =
            ((configuration.dataLoader as? InterceptedLoader)?.interceptors ?? []) + configuration.identifyingInterceptors
        decoder = TargetSizeDecoder(decoder: configuration.decoder)
        incrementalDecoder = configuration.decoder is any IncrementalDecoding ? decoder : nil
        workers = WorkerPool(size: configuration.limits.workers)
        clock = ErasedClock(configuration.clock)
        accept = (configuration.decoder.formats.map(\.mediaType) + ["image/*;q=0.8", "*/*;q=0.5"]).joined(separator: ", ")
    }

    let memoryCache: (any Caching)?
    let dataCache: (any DataCaching)?

    /// Whether a cache keeps bytes from the network.
    var hasByteCache: Bool { dataCache != nil || configuration.responseCache != nil }

    /// What interceptors and options of plug-ins declare about the response of a load.
    func identities(of source: ImageSource, _ options: LoadOptions) -> [String] {
        guard case .url(let url) = source else { return [] }
        var identities = options.extra.texts(changing: .response).map { "option " + $0 }
        for interceptor in options.interceptors { interceptor.appendIdentity(for: url, to: &identities) }
        for interceptor in interceptors { interceptor.appendIdentity(for: url, to: &identities) }
        return identities
    }

    /// The key of the bytes of a request that sets no options, in a loader whose options set none of those that vary it.
    func resource(of request: ImageRequest) -> ResourceKey {
        guard case .url(let url) = request.source else { return request.resource }
        var identities: [String] = []
        for interceptor in interceptors { interceptor.appendIdentity(for: url, to: &identities) }
        return request.resource.varied(by: identities)
    }

    /// A deadline on the loader's clock.
    func deadline(after limit: Duration) -> Deadline { Deadline(after: limit, clock: configuration.clock) }

    /// The bounds of a plan's decode.
    func limits(_ plan: LoadPlan) -> DecodingLimits {
        var limits = configuration.limits.decoding
        if let pixels = plan.options.maximumPixels { limits.pixels = min(limits.pixels, pixels) }
        return limits
    }

    /// The memory that a full decode of these bytes takes, in bytes; 0 where there is no limit, or where the header is damaged: the
    /// decode reports the error.
    ///
    /// - Parameter keepsDepth: whether samples may take 16 bits.
    func decodingBytes(of data: Data, _ limits: DecodingLimits, keepsDepth: Bool) -> Int {
        guard configuration.limits.decodingBytes < .max, !data.isEmpty else { return 0 }
        return (try? decoder.info(of: data, limits: limits))?.decodedBytes(of: keepsDepth ? .rgba16 : .rgba8) ?? 0
    }

    func clearCaches() async throws {
        memoryCache?.removeAll()
        for store in configuration.otherStores { await store.removeAll() }
        try await dataCache?.removeAll()
    }
}
