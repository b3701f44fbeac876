package import ImageNetworkingCurl

extension CurlLoader.Configuration {
    /// A loader without an idle timeout, which could end a transfer that the test holds.
    package static var withoutIdleTimeout: Self {
        var configuration = Self()
        configuration.idleTimeout = nil
        return configuration
    }
}
