public import ImageCore

extension ImageLoader {
    /// The parts that a loader is put together from, and its limits. `Calotype` fills one in with the standard parts.
    public struct Configuration: Sendable {
        /// Fetches URLs, interceptors, retry and the like included.
        public var dataLoader: any DataLoading
        /// Decodes every picture; usually a registry of decoders.
        public var decoder: any Decoding
        /// Keeps decoded images; `nil` keeps none.
        public var memoryCache: (any Caching)?
        /// Keeps original bytes; `nil` keeps none.
        public var dataCache: (any DataCaching)?
        /// Asked for `http` and `https` URLs in the place of ``dataCache``; ``dataLoader`` is then what fills it. `nil`, the
        /// default, leaves them to ``dataCache``.
        public var responseCache: (any ResponseCaching)?
        /// Writes the pictures that ``DiskStorage`` keeps in ``dataCache``, when a load asks for that; `nil`, the default,
        /// keeps original bytes in any case.
        public var encoder: (any Encoding)?
        /// The format of those pictures, one that ``encoder`` writes and ``decoder`` reads; PNG, which loses nothing.
        public var processedFormat = ImageFormat.png
        /// How they are written.
        public var processedEncoding = EncodeOptions()
        /// Called by ``ImageLoader/clearCaches()``, before the data cache is emptied: for what other parts keep of responses,
        /// such as a `PartialBodyStore`. `nil`, the default.
        public var onClear: (@Sendable () async -> Void)?
        public var observers: [any LoadObserving] = []
        /// What the network is like and every change of it, such as a `NetworkMonitor`'s `updates`; asked for once by each
        /// loader. While the network is constrained (low-data mode), no prefetch begins to fetch as long as anything else
        /// loads. `nil`, the default: nobody tells, and nothing is held back.
        public var networkUpdates: (@Sendable () -> AsyncStream<NetworkStatus>)?
        /// The app's own defaults: the lowest of the three layers of options.
        public var globalOptions = OptionLayer()
        /// Network fetches at a time; 32.
        public var maximumFetches = 32
        /// Network fetches at a time from one host; 6.
        public var maximumFetchesPerHost = 6
        /// Local files and closures read at a time; 8.
        public var maximumLocalReads = 8
        /// Threads that decode and process; the number of processors.
        public var workers = ProcessInfo.processInfo.activeProcessorCount
        /// The largest response body in bytes, where neither a layer nor the loader below sets less; 200 MB.
        public var maximumResponseBytes = 200_000_000
        /// Bytes that the pictures of all running decodes may take together, by what their headers announce; 512 MB. A decode
        /// waits rather than exceed it; one that is larger by itself runs alone.
        public var maximumDecodingBytes = 512_000_000
        /// From one preview of a picture to the next, at least; 0.5 s.
        public var previewInterval = Duration.milliseconds(500)
        /// By which intervals are measured; replaced in tests.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// Bounds for every decode.
        public var decodingLimits = DecodingLimits()

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
