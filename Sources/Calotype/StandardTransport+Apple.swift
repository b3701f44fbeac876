#if canImport(ImageIO)
    internal import ImageCore
    internal import ImageDecodingApple
    public import ImageNetworkingFoundation

    /// The default loader of `http` and `https` URLs: URLSession on this platform.
    public typealias StandardTransport = URLSessionLoader

    extension StandardConfiguration {
        static var platformDecoders: [any Decoding] { [ImageIODecoder()] }
        static var platformEncoders: [any Encoding] { [ImageIOEncoder()] }

        /// Returns ``network``, or a transport with the ``limits``.
        func makeTransport() -> any DataLoading {
            if let network { return network }
            return URLSessionLoader(transport, connectionsPerHost: limits.fetchesPerHost)
        }
    }
#endif
