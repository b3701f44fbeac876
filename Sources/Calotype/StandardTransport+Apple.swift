#if canImport(ImageIO)
    internal import ImageCore
    internal import ImageDecodingApple
    public import ImageNetworkingFoundation

    /// Fetches `http` and `https` URLs where nothing else is set: URLSession on this platform.
    public typealias StandardTransport = URLSessionLoader

    extension StandardConfiguration {
        static var platformDecoders: [any Decoding] { [ImageIODecoder()] }
        static var platformEncoders: [any Encoding] { [ImageIOEncoder()] }

        /// ``network``, or a transport that obeys ``limits``.
        func makeTransport() -> any DataLoading {
            if let network { return network }
            var configuration = transport
            configuration.connectionsPerHost = limits.fetchesPerHost
            configuration.maximumBytes = limits.responseBytes
            return URLSessionLoader(configuration)
        }
    }
#endif
