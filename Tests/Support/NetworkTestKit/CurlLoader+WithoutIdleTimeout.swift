package import ImageNetworkingCurl

extension CurlLoader.Configuration {
    /// Without a time limit that could end what a test waits for.
    package static var withoutIdleTimeout: Self {
        var configuration = Self()
        configuration.idleTimeout = nil
        return configuration
    }
}
