#if !canImport(ImageIO)
    internal import ImageCodecs
    internal import ImageCore
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
            if own == nil {
                // Fetches of the engine must not queue in the transport, which does not know the order of the engine. Background
                // validations share the connections of their host, and so the limit of the host.
                configuration.connectionsPerHost = limits.fetchesPerHost
                configuration.connections = max(configuration.connections, limits.fetches)
                configuration.maximumBytes = limits.responseBytes
            }
            configuration.sourcePolicy = sourcePolicy ?? configuration.sourcePolicy
            return CurlLoader(configuration)
        }
    }
#endif
