public import ImageCore
public import ImageNetworking

extension CurlLoader {
    /// How a ``CurlLoader`` uses the network.
    public struct Configuration: Sendable {
        /// For the name lookup, the connection and TLS together; 10 s. A shorter ``ImageCore/DataRequest/timeout`` ends
        /// them sooner.
        public var connectTimeout: Duration = .seconds(10)
        /// Whether redirects are followed; `true`. Otherwise the response that redirects is the result, as for a cache
        /// that stores redirects or a program that resolves short links.
        public var followsRedirects = true
        /// Whether the loader keeps the cookies that servers set, in memory, and sends them back, as some redirects and
        /// logins need; `false`. A cache does not take them into account: use it for hosts that serve everyone the same
        /// images.
        public var storesCookies = false
        /// How far a body is received ahead of its reader, in bytes; 256 KB. The reader may hold up to as much again.
        public var window = 256 << 10
        /// The versions of HTTP to offer.
        public var httpVersion = HTTPVersion.automatic
        /// The authorities to check a server's certificate with. The check cannot be switched off.
        public var certificateAuthorities = CertificateAuthorities.system
        /// The `User-Agent` of requests that have none.
        public var userAgent = "Calotype"
        /// Whether `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` in the environment are used; yes. The
        /// environment is read when the loader's first transfer starts.
        public var usesProxyOfEnvironment = true

        /// What may be fetched, for URLs from untrusted users; `nil`, the default, allows everything. With a policy no
        /// proxy is used, since the policy would check the proxy's address.
        public var sourcePolicy: SourcePolicy?

        /// The defaults.
        public init() {}
    }

    /// The versions of HTTP that a loader offers.
    public enum HTTPVersion: Hashable, Sendable {
        /// HTTP/2 where the server offers it over TLS, else HTTP/1.1.
        case automatic
        /// HTTP/1.1 only.
        case http1
    }

    /// Whose certificates a loader trusts.
    public enum CertificateAuthorities: Hashable, Sendable {
        /// The system's.
        case system
        /// Those in a PEM file, by path, in place of the system's.
        case file(String)
        /// Those in PEM text, in place of the system's.
        case pem(Data)
    }
}
