public import ImageCore

extension ImageLoader {
    /// The components and the limits of a loader, for programs that choose modules one by one. `Calotype` makes a value
    /// from its `StandardConfiguration`.
    public struct Configuration: Sendable {
        /// Fetches URLs, with interceptors, retries and the like around it.
        public var dataLoader: any DataLoading
        /// Decodes every image; usually a registry of decoders.
        public var decoder: any Decoding
        /// Stores decoded images; `nil` stores none.
        public var memoryCache: (any Caching)?
        /// Stores original bytes; `nil` stores none.
        public var dataCache: (any DataCaching)?
        /// Looked up for `http` and `https` URLs instead of ``dataCache``; ``dataLoader`` is then what fills it. `nil`,
        /// the default, uses ``dataCache`` for them.
        public var responseCache: (any ResponseCaching)?
        /// How long images of the web stay fresh in memory (``LoadOptions/memoryFollowsFreshness``) where there is no
        /// ``responseCache`` to say so; `nil`, the default, for ever.
        public var freshnessRules: (any ProcessedImageRules)?
        /// Interceptors somewhere within ``dataLoader`` whose declared identities
        /// (``RequestInterceptor/identity(for:)``) are part of the keys of all loads; none by default. The loader asks
        /// them for their identities but does not run them. Those of an ``InterceptedLoader`` that is itself the
        /// ``dataLoader`` need not be listed.
        public var identifyingInterceptors: [any RequestInterceptor] = []
        /// Encodes the images that ``DiskStorage`` stores in ``dataCache``, when the options of a load say so, and the
        /// results of ``ImageLoader/encoded(for:as:options:)``. With `nil`, the default, the loader stores original
        /// bytes instead, and has no other results.
        public var encoder: (any Encoding)?
        /// The format of the images that ``encoder`` writes and ``decoder`` reads back; PNG, which is lossless.
        public var processedFormat = ImageFormat.png
        /// The options of ``encoder``; the defaults of ``EncodeOptions``.
        public var processedEncoding = EncodeOptions()
        /// Stores of other components, such as a `PartialBodyStore`, that ``ImageLoader/clearCaches()`` empties in
        /// order before the data cache; none by default.
        public var otherStores: [any ClearableStore] = []
        /// The observers, which get the events of every load; none by default.
        public var observers: [any LoadObserving] = []
        /// The status of the network and every change of it, such as a `NetworkMonitor`'s `updates`; each loader calls
        /// this once. While the network is constrained (low-data mode), no prefetch starts a fetch as long as other
        /// loads run. `nil`, the default, counts every network as unconstrained.
        public var networkUpdates: (@Sendable () -> AsyncStream<NetworkStatus>)?
        /// The app's defaults: the lowest of the three layers of options.
        public var options = OptionLayer()
        /// The most that the loader accepts and does at a time.
        public var limits = Limits()
        /// The shortest time from one preview of an image to the next; 0.5 s.
        public var previewInterval = Duration.milliseconds(500)
        /// The clock that measures intervals; tests replace it.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// Creates a configuration with standard limits.
        ///
        /// - Parameters:
        ///   - dataLoader: fetches URLs.
        ///   - decoder: decodes every image.
        ///   - memoryCache: stores decoded images; none by default.
        ///   - dataCache: stores original bytes; none by default.
        public init(
            dataLoader: any DataLoading, decoder: any Decoding, memoryCache: (any Caching)? = nil,
            dataCache: (any DataCaching)? = nil
        ) {
            (self.dataLoader, self.decoder, self.memoryCache, self.dataCache) = (dataLoader, decoder, memoryCache, dataCache)
        }
    }
}
