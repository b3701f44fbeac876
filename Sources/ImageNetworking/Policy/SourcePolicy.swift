public import ImageCore

/// Which sources may be loaded when their URLs come from untrusted users: protects a server against server-side request
/// forgery.
///
/// Schemes, hosts and ports are checked before the name lookup, and again at each redirect. Addresses are checked when
/// a socket is about to connect, so a second name lookup cannot replace an allowed address. Apps that load their own
/// URLs need no policy.
///
/// ```swift
/// var configuration = CurlLoader.Configuration()
/// configuration.sourcePolicy = .publicWeb
/// let loader = GuardedLoader(SchemeRouter.standard(network: CurlLoader(configuration)), policy: .publicWeb)
/// ```
public struct SourcePolicy: Hashable, Sendable {
    /// The schemes allowed, in lower case.
    public var schemes: Set<String> = ["http", "https"]
    /// The hosts allowed, in lower case; `*.example.org` matches every name below `example.org`. `nil` allows all.
    public var hosts: Set<String>?
    /// The ports allowed; `nil` allows all.
    public var ports: Set<Int>?
    /// Whether addresses are allowed that are not on the public internet: private, loopback, link-local, multicast,
    /// carrier-grade, documentation and reserved ones, also inside IPv6, and the addresses of cloud platforms' own
    /// services, such as 169.254.169.254 and 168.63.129.16.
    public var allowsPrivateAddresses = false

    /// A policy for `http` and `https` on all hosts and ports with public addresses.
    public init() {}

    /// Any host of the public internet by `http` and `https`, on the ports 80, 443, 8080 and 8443.
    public static let publicWeb: SourcePolicy = {
        var policy = SourcePolicy()
        policy.ports = [80, 443, 8080, 8443]
        return policy
    }()

    /// Checks the scheme, host and port of a URL, and its address if it names one.
    ///
    /// - Throws: ``ImageError/Code/sourceForbidden``.
    public func check(_ url: URL) throws(ImageError) {
        let source = ImageSource.redacted(url)
        if let address = try? WebAddress(url) {
            if let problem = problem(with: address) { throw Self.error(source, problem) }
            return
        }
        // Only the scheme can be checked of a URL that is not a web URL.
        let scheme = url.scheme?.lowercased() ?? "file"
        guard schemes.contains(scheme) else { throw Self.error(source, "its scheme “\(scheme)” is not allowed") }
        guard scheme != "http", scheme != "https" else { throw Self.error(source, "it has no valid host") }
    }

    /// Why an address in a URL is not allowed, as the end of a sentence.
    package func problem(with address: WebAddress) -> String? {
        let origin = address.origin
        guard schemes.contains(origin.scheme) else { return "its scheme “\(origin.scheme)” is not allowed" }
        if let hosts, !hosts.contains(where: { Self.matches(origin.host, $0) }) {
            return "the host “\(origin.host)” is not allowed"
        }
        if let ports, !ports.contains(origin.port) { return "the port \(origin.port) is not allowed" }
        if let literal = IPAddress(origin.host.trimmingBrackets()) { return problem(with: literal) }
        return nil
    }

    /// Why a socket may not be connected to an address.
    package func problem(with address: IPAddress?) -> String? {
        guard !allowsPrivateAddresses else { return nil }
        guard let address else { return "it has no internet address" }
        return address.isPublic ? nil : "its address \(address) is not on the public internet"
    }

    package static func error(_ source: String, _ problem: String) -> ImageError {
        ImageError(.sourceForbidden, message: "\(source) may not be loaded here: \(problem).")
    }

    private static func matches(_ host: String, _ pattern: String) -> Bool {
        // A dot at the end makes a name absolute; it is the same name.
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return pattern.hasPrefix("*.") ? name.hasSuffix(pattern.dropFirst()) && name.count > pattern.count - 1 : name == pattern
    }
}

extension ImageError.Code {
    /// The source policy does not allow the source; see ``SourcePolicy``.
    public static let sourceForbidden = Self("sourceForbidden", .caller)
}

extension String {
    fileprivate func trimmingBrackets() -> String { hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self }
}
