import Foundation
import ImageCore

/// Adds a signature that expires to the URLs of certain hosts: `?w=300` becomes `?w=300&expires=…&signature=…`, with
/// the HMAC-SHA256 of the path and of the query before `&signature`.
///
/// ```swift
/// let loader = ImageLoader.standard {
///     $0.network = ExpiringURLLoader(StandardTransport(), hosts: ["images.example.org"], key: key)
/// }
/// ```
///
/// An interceptor may not do this: the URL of a request is its key in all caches. This loader lies inside of the caches
/// and of retries, so the key is the URL **without** the signature: an image stays in the caches when its signature
/// expires, and each attempt gets a valid one. All users share the images, as they share the key of the app. If the
/// service shows users different images, declare the user by an interceptor.
///
/// The time is rounded, so that the signed URL stays the same for as long as ``lifetime``: caches of others on the way,
/// such as those of a content delivery network, serve it too. It is valid for at least that time, and for at most twice
/// as long.
public struct ExpiringURLLoader: DataLoading {
    /// How long a URL is valid at least, in seconds.
    public let lifetime: Int
    private let loader: any DataLoading
    private let hosts: Set<String>
    private let key: Data
    private let now: @Sendable () -> Date

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - loader: loads the signed URLs, and those of other hosts as they are.
    ///   - hosts: the hosts whose URLs are signed, in lower case and without port.
    ///   - key: the key that the app and the service share, of at least 32 random bytes.
    ///   - lifetime: how long a URL is valid at least, in seconds; an hour by default.
    ///   - now: the time; that of the system by default.
    public init(
        _ loader: any DataLoading, hosts: Set<String>, key: Data, lifetime: Int = 3_600,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.loader, self.hosts, self.key, self.lifetime, self.now) = (loader, hosts, key, max(1, lifetime), now)
    }

    /// Loads the signed URL, and returns the response as that of the original one.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        var signed = request
        signed.url = signedURL(for: request.url)
        var response = try await loader.load(signed)
        // Another URL would look like a redirect to the caches.
        if response.url == signed.url { response.url = request.url }
        return response
    }

    /// What the loader of the signed URLs says.
    public func version(of url: URL) -> String? { loader.version(of: url) }

    /// The URL with its signature, for example to send it to a browser; unchanged for another host.
    public func signedURL(for url: URL) -> URL {
        guard hosts.contains(url.host()?.lowercased() ?? ""), var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return url }
        let expires = (Int(now().timeIntervalSince1970) / lifetime + 2) * lifetime
        let query = (parts.percentEncodedQuery.map { $0 + "&" } ?? "") + "expires=\(expires)"
        let signature = hexadecimal(authenticationCode(of: "\(parts.percentEncodedPath)?\(query)", key: key))
        parts.percentEncodedQuery = "\(query)&signature=\(signature)"
        return parts.url ?? url
    }
}
