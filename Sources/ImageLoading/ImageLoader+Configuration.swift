public import ImageCore

extension ImageLoader {
    /// The parts of a loader after they are put together, and its limits: what the engine needs, for programs that choose modules
    /// one by one. `Calotype` makes one from its `StandardConfiguration`.
    public struct Configuration: Sendable {
        /// Fetches URLs, with interceptors, retries and the like around it.
        public var dataLoader: any DataLoading
        /// Decodes every image; usually a registry of decoders.
        public var decoder: any Decoding
        /// Stores decoded images; `nil` stores none.
        public var memoryCache: (any Caching)?
        /// Stores original bytes; `nil` stores none.
        public var dataCache: (any DataCaching)?
        /// Looked up for `http` and `https` URLs instead of ``dataCache``; ``dataLoader`` is then what fills it. `nil`, the
        /// default, uses ``dataCache`` for them.
        public var responseCache: (any ResponseCaching)?
        /// Encodes the images that ``DiskStorage`` stores in ``dataCache``, when a load asks for that; `nil`, the default,
        /// stores original bytes instead.
        public var encoder: (any Encoding)?
        /// The format of those images, which ``encoder`` writes and ``decoder`` reads; PNG, which is lossless.
        public var processedFormat = ImageFormat.png
        /// How those images are encoded.
        public var processedEncoding = EncodeOptions()
        /// Emptied by ``ImageLoader/clearCaches()`` before the data cache, in order: what other parts keep of responses, such as
        /// a `PartialBodyStore`. None by default.
        public var otherStores: [any ClearableStore] = []
        /// Called with the events of every load; none.
        public var observers: [any LoadObserving] = []
        /// The status of the network and every change of it, such as a `NetworkMonitor`'s `updates`; each loader calls this once.
        /// While the network is constrained (low-data mode), no prefetch starts a fetch as long as other loads run. `nil`, the
        /// default, counts every network as unconstrained.
        public var networkUpdates: (@Sendable () -> AsyncStream<NetworkStatus>)?
        /// The app's defaults: the lowest of the three layers of options.
        public var globalOptions = OptionLayer()
        /// The most that the loader accepts and does at a time.
        public var limits = Limits()
        /// The shortest time from one preview of an image to the next; 0.5 s.
        public var previewInterval = Duration.milliseconds(500)
        /// The clock that measures intervals; tests replace it.
        public var clock: any Clock<Duration> = ContinuousClock()

        public init(
            dataLoader: any DataLoading, decoder: any Decoding, memoryCache: (any Caching)? = nil,
            dataCache: (any DataCaching)? = nil
        ) {
            self.dataLoader = dataLoader
            self.decoder = decoder
            self.memoryCache = memoryCache
            self.dataCache = dataCache
        }
    }
}
