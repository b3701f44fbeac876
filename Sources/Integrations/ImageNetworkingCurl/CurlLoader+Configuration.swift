public import ImageCore
public import ImageNetworking

extension CurlLoader {
    /// How a ``CurlLoader`` uses the network. Numbers below 1 count as 1.
    public struct Configuration: Sendable {
        /// Connections to one host (scheme, name and port); 6. Further transfers wait, by priority and age.
        public var connectionsPerHost = 6
        /// Connections to all hosts; 64.
        public var connections = 64
        /// Transfers at a time to one host that speaks HTTP/2, where a connection carries many; 100.
        public var streamsPerHost = 100
        /// For the name lookup, the connection and TLS together; 10 s. The limit for the whole transfer comes with each
        /// request, and counts from when the transfer starts, not while it waits for its turn.
        public var connectTimeout: Duration = .seconds(10)
        /// How long a server may send nothing, and take nothing, in the middle of a transfer; 15 s, `nil` for ever. It is
        /// noticed at most an eighth of that later. A transfer that waits for its reader is not idle.
        public var idleTimeout: Duration? = .seconds(15)
        /// The largest body, in bytes, where the request names none; the lesser of 200 MB and a tenth of the memory.
        /// Checked against `Content-Length` and with every chunk.
        public var maximumBytes = ResponseLimit.standard
        /// How far a body is read ahead of its reader, in bytes; 256 KB. Up to as much again is in the reader's hands.
        public var window = 256 << 10
        /// Which versions of HTTP are offered.
        public var httpVersion = HTTPVersion.automatic
        /// Who may vouch for a server's certificate. There is no way not to check it.
        public var certificateAuthorities = CertificateAuthorities.system
        /// The `User-Agent` where the request has none.
        public var userAgent = "Calotype"
        /// Whether `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` in the environment are followed; yes. The
        /// environment is looked at when the loader's first transfer starts.
        public var usesProxyOfEnvironment = true

        /// What may be fetched, for URLs that strangers chose; `nil`, the default, allows everything. With a policy no
        /// proxy is used, since its address would be the one that is checked.
        public var sourcePolicy: SourcePolicy?

        public init() {}
    }

    public enum HTTPVersion: Hashable, Sendable {
        /// HTTP/2 where the server offers it over TLS, else HTTP/1.1.
        case automatic
        case http1
    }

    public enum CertificateAuthorities: Hashable, Sendable {
        /// Those that the system trusts.
        case system
        /// The certificates of a PEM file, by path, instead.
        case file(String)
        /// The certificates in PEM text, instead.
        case pem(Data)
    }
}
