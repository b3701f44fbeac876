internal import HTTPTypes
internal import ImageCore

/// The components that a loader's stages use: caches, network layer, decoder, encoder and worker threads.
final class Components: Sendable {
    let configuration: ImageLoader.Configuration
    /// The decoder, which may return larger images than the target size.
    let decoder: any Decoding
    /// The same, if it makes previews.
    let incrementalDecoder: (any IncrementalDecoding)?
    let workers: ThreadPool
    /// One thread for all previews, so that they never keep a worker from a whole image.
    let previewWorkers = ThreadPool(size: 1)
    /// One thread that encodes images for the data cache.
    let encodingWorkers = ThreadPool(size: 1)
    let animations: AnimationResources
    let clock: AnyClock
    /// The `Accept` field of requests: the formats that the decoder reads. Other formats are accepted too, and judged
    /// by their bytes.
    let accept: HTTPFields

    /// The interceptors within the network layer that may declare an identity.
    let interceptors: [any RequestInterceptor]

    init(_ configuration: ImageLoader.Configuration) {
        self.configuration = configuration
        (memoryCache, dataCache) = (configuration.memoryCache ?? NoMemoryCache(), configuration.dataCache)
        hasByteCache = configuration.dataCache != nil || configuration.responseCache != nil
        interceptors =
            ((configuration.dataLoader as? InterceptedLoader)?.interceptors ?? []) + configuration.identifyingInterceptors
        decoder = configuration.decoder
        incrementalDecoder = configuration.decoder as? any IncrementalDecoding
        workers = ThreadPool(size: configuration.limits.workers)
        animations = AnimationResources(
            decoder: decoder, clock: configuration.clock, budget: AnimationBudget(limit: configuration.limits.animationBytes))
        clock = AnyClock(configuration.clock)
        let types = (configuration.decoder.formats.map(\.mediaType) + ["image/*;q=0.8", "*/*;q=0.5"]).joined(separator: ", ")
        accept = [.accept: types]
    }

    let memoryCache: any Caching
    let dataCache: (any DataCaching)?

    /// Whether a cache keeps bytes from the network.
    let hasByteCache: Bool

    /// What interceptors, options of plug-ins and the network layer declare about the response of a load.
    func identities(of request: ImageRequest, _ merged: MergedOptions) -> [String] {
        guard let url = request.source.url else { return [] }
        var identities = merged.options.extra.texts(changing: .response).map { "option " + $0 } + versions(of: request)
        for interceptor in merged.options.interceptors { interceptor.appendIdentity(for: url, to: &identities) }
        for interceptor in interceptors { interceptor.appendIdentity(for: url, to: &identities) }
        return identities
    }

    /// The key of the bytes of a request that sets no options, in a loader whose options set none of those that vary
    /// it.
    func resource(of request: ImageRequest) -> ResourceKey {
        guard let url = request.source.url else { return request.resource }
        var identities = versions(of: request)
        for interceptor in interceptors { interceptor.appendIdentity(for: url, to: &identities) }
        return request.resource.varied(by: identities)
    }

    /// The version of a source that changes on this machine; empty if the network layer knows none.
    private func versions(of request: ImageRequest) -> [String] {
        guard request.mayChangeHere, let url = request.source.url else { return [] }
        return configuration.dataLoader.version(of: url).map { ["version " + $0] } ?? []
    }

    /// A deadline on the loader's clock.
    func deadline(after limit: Duration) -> Deadline { Deadline(after: limit, clock: configuration.clock) }

    /// The bounds of a plan's decode, of which that of pixels bounds its processors too.
    func limits(_ plan: LoadPlan) -> DecodingLimits {
        var limits = configuration.limits.decoding
        if let pixels = plan.options.maximumPixels { limits.pixels = pixels }
        return limits
    }

    /// What the header of an image says; no pixel is decoded.
    func info(of original: Original, _ plan: LoadPlan) throws -> ImageInfo {
        let early = original.isWhole ? nil : try decoder.info(ofPrefix: original.entry.data, limits: limits(plan))
        return try early ?? decoder.info(of: original.entry.data, limits: limits(plan))
    }

    /// The memory that a full decode of these bytes takes, in bytes; 0 where there is no limit, or where the header is
    /// damaged: the decode reports the error.
    ///
    /// - Parameter keepsDepth: whether samples may take 16 bits.
    func bitmapBytes(of data: Data, _ limits: DecodingLimits, keepsDepth: Bool) -> Int {
        guard configuration.limits.concurrentDecodeBytes < .max, !data.isEmpty else { return 0 }
        return (try? decoder.info(of: data, limits: limits))?.bitmapBytes(of: keepsDepth ? .rgba16 : .rgba8) ?? 0
    }

    /// Empties every cache, also where one fails.
    ///
    /// - Throws: the first error.
    func clearCaches() async throws {
        memoryCache.removeAll()
        for store in configuration.otherStores { await store.removeAll() }
        let responses = await result { try await configuration.responseCache?.removeAll() }
        // Last, since the other stores may still write to it.
        let data = await result { try await dataCache?.removeAll() }
        try responses.get()
        try data.get()
    }

    /// Removes everything that came from a source from every cache, also where one fails.
    ///
    /// - Throws: the first error.
    func removeAllVariants(of resource: ResourceKey) async throws {
        memoryCache.removeImages(of: resource)
        for store in configuration.otherStores { await store.removeEntries(of: resource) }
        let responses = await result { try await configuration.responseCache?.removeResponses(of: resource) }
        let data = await result { try await dataCache?.removeEntries(of: resource) }
        try responses.get()
        try data.get()
    }

    private func result(_ body: () async throws -> Void) async -> Result<Void, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}

extension ImageInfo {
    /// The memory that the fully decoded image takes, in bytes.
    func bitmapBytes(of format: PixelFormat) -> Int {
        guard let pixels = size.pixelCount else { return .max }
        let bytes = pixels.multipliedReportingOverflow(by: format.bytesPerPixel)
        return bytes.overflow ? .max : bytes.partialValue
    }
}
