#if !canImport(ImageIO)
    internal import ImageCodecs
    internal import ImageCore
    internal import ImageNetworking
    public import ImageNetworkingCurl

    /// Fetches `http` and `https` URLs where nothing else is set: libcurl on this platform.
    public typealias StandardTransport = CurlLoader

    extension StandardConfiguration {
        static var platformDecoders: [any Decoding] { .codecs }
        static var platformEncoders: [any Encoding] { .codecs }

        /// ``network``, or a transport that obeys ``limits`` and ``sourcePolicy``.
        func makeTransport() -> any DataLoading {
            let own = network as? CurlLoader
            // A loader without a policy would not check redirects and addresses.
            if let network, sourcePolicy == nil || own == nil || own?.configuration.sourcePolicy != nil { return network }
            var configuration = own?.configuration ?? transport
            if own == nil {
                // The engine's fetches must not wait in the transport, where their priorities do not count. Background
                // validations share the connections of their host, so that its limit holds for them too.
                configuration.connectionsPerHost = limits.fetchesPerHost
                configuration.connections = max(configuration.connections, limits.fetches)
                configuration.maximumBytes = limits.responseBytes
            }
            configuration.sourcePolicy = sourcePolicy ?? configuration.sourcePolicy
            return CurlLoader(configuration)
        }
    }
#endif
