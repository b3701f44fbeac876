#if !canImport(ImageIO)
    internal import ImageCodecs
    internal import ImageCore
    internal import ImageLoading
    internal import ImageNetworking
    public import ImageNetworkingCurl

    /// The default loader of `http` and `https` URLs: libcurl on this platform.
    public typealias StandardTransport = CurlLoader

    extension StandardConfiguration {
        static var platformDecoders: [any Decoding] { .codecs }
        static var platformEncoders: [any Encoding] { .codecs }

        /// Returns ``network``, or a transport with the ``limits`` and the ``sourcePolicy``.
        func makeTransport() -> any DataLoading {
            let own = network as? CurlLoader
            // A loader without a policy would not check redirects and addresses.
            if let network, sourcePolicy == nil || own == nil || own?.configuration.sourcePolicy != nil { return network }
            var configuration = own?.configuration ?? transport
            configuration.sourcePolicy = sourcePolicy ?? configuration.sourcePolicy
            return CurlLoader(configuration, limits: own?.limits ?? CurlLoader.Limits(limits))
        }
    }

    extension CurlLoader.Limits {
        /// Fetches of the engine must not queue in the transport, which does not know the order of the engine.
        /// Background validations share the connections of their host, and so the limit of the host.
        fileprivate init(_ limits: ImageLoader.Limits) {
            self.init()
            connectionsPerHost = limits.fetchesPerHost
            connections = max(connections, limits.fetches)
            streamsPerHost = max(streamsPerHost, limits.fetchesPerHost)
        }
    }
#endif
