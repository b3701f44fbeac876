#if canImport(Network)
    internal import Dispatch
    public import ImageCore
    public import ImageLoading
    internal import Network

    /// Keeps a loader to the system's Low Data Mode: while the network is constrained, the loader's runtime options are
    /// ``OptionLayer/lowData``, and prefetchers leave the network alone. Keep it as long as the loader.
    ///
    /// ```swift
    /// let loader = ImageLoader.apple()
    /// let lowData = LowDataMode(of: loader, prefetchers: [ImagePrefetcher(loader: loader)])
    /// ```
    public final class LowDataMode: Sendable {
        private let monitor = NWPathMonitor()

        /// - Parameter usual: the runtime options while the network is not constrained; nothing overridden.
        public init(of loader: ImageLoader, prefetchers: [ImagePrefetcher] = [], usual: OptionLayer = .standard) {
            monitor.pathUpdateHandler = { path in
                loader.runtimeOptions = path.isConstrained ? usual.merging(.lowData) : usual
                for prefetcher in prefetchers { prefetcher.mayUseNetwork = !path.isConstrained }
            }
            monitor.start(queue: DispatchQueue(label: "calotype.low-data"))
        }

        deinit { monitor.cancel() }
    }
#endif
