internal import HTTPTypes
internal import ImageCore

/// The parts that a loader's stages use: caches, network layer, decoder, encoder and worker threads.
final class LoaderParts: Sendable {
    let configuration: ImageLoader.Configuration
    /// The decoder, whose images have exactly the target size.
    let decoder: TargetSizeDecoder
    /// The same without that, if it makes previews.
    let incrementalDecoder: (any IncrementalDecoding)?
    let workers: WorkerPool
    /// One thread for all previews, so that they never keep a worker from a whole image.
    let previewWorkers = WorkerPool(size: 1)
    /// One thread that encodes images for the data cache.
    let encodingWorkers = WorkerPool(size: 1)
    let animations: AnimationResources
    let clock: ErasedClock
    /// The `Accept` field of requests: the formats that the decoder reads. Other formats are accepted too, and judged by their
    /// bytes.
    let accept: HTTPFields

    /// The interceptors within the network layer that may declare an identity.
    let interceptors: [any RequestInterceptor]

    init(_ configuration: ImageLoader.Configuration) {
        self.configuration = configuration
        (memoryCache, dataCache) = (configuration.memoryCache ?? NoMemoryCache(), configuration.dataCache)
        hasByteCache = configuration.dataCache != nil || configuration.responseCache != nil
        interceptors =
            ((configuration.dataLoader as? InterceptedLoader)?.interceptors ?? []) + configuration.identifyingInterceptors
        decoder = TargetSizeDecoder(decoder: configuration.decoder)
        incrementalDecoder = configuration.decoder as? any IncrementalDecoding
        workers = WorkerPool(size: configuration.limits.workers)
        animations = AnimationResources(
            decoder: decoder, clock: configuration.clock, budget: AnimationBudget(limit: configuration.limits.animationBytes))
        clock = ErasedClock(configuration.clock)
        let types = (configuration.decoder.formats.map(\.mediaType) + ["image/*;q=0.8", "*/*;q=0.5"]).joined(separator: ", ")
        accept = [.accept: types]
    }

    let memoryCache: any Caching
    let dataCache: (any DataCaching)?

    /// Whether a cache keeps bytes from the network.
    let hasByteCache: Bool

    /// What interceptors and options of plug-ins declare about the response of a load.
    func identities(of source: ImageSource, _ merged: MergedOptions) -> [String] {
        guard case .url(let url) = source else { return [] }
        var identities = merged.options.extra.texts(changing: .response).map { "option " + $0 }
        for interceptor in merged.options.interceptors { interceptor.appendIdentity(for: url, to: &identities) }
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

    /// The bounds of a plan's decode, of which that of pixels bounds its processors too.
    func limits(_ plan: LoadPlan) -> DecodingLimits {
        var limits = configuration.limits.decoding
        if let pixels = plan.options.maximumPixels { limits.pixels = pixels }
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

    /// Empties every cache, also where one fails.
    ///
    /// - Throws: the first error.
    func clearCaches() async throws {
        try await removing(
            memory: { $0.removeAll() }, other: { await $0.removeAll() }, responses: { try await $0.removeAll() },
            data: { try await $0.removeAll() })
    }

    /// Removes everything that came from a source from every cache, also where one fails.
    ///
    /// - Throws: the first error.
    func removeAllVariants(of request: ImageRequest) async throws {
        let resource = request.resource
        try await removing(
            memory: { $0.removeImages(of: resource) }, other: { await $0.removeEntries(of: resource) },
            responses: { responses in
                if case .url(let url) = request.source { try await responses.removeResponses(for: url) }
            }, data: { try await $0.removeEntries(of: resource) })
    }

    /// Removes from the data cache last, since the other stores may still write to it.
    private func removing(
        memory: (any Caching) -> Void, other: (any ClearableStore) async -> Void,
        responses: (any ResponseCaching) async throws -> Void, data: (any DataCaching) async throws -> Void
    ) async throws {
        memory(memoryCache)
        for store in configuration.otherStores { await other(store) }
        var failure: (any Error)?
        do { if let cache = configuration.responseCache { try await responses(cache) } } catch { failure = error }
        if let dataCache { try await data(dataCache) }
        if let failure { throw failure }
    }
}
