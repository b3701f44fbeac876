import Crypto
import Foundation
import ImageCore

/// The credentials of a user or a role of AWS.
public struct AWSCredentials: Sendable {
    public let accessKeyID: String
    public let secretAccessKey: String
    /// The token of credentials that expire; `nil` for those of a user.
    public let sessionToken: String?

    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        (self.accessKeyID, self.secretAccessKey, self.sessionToken) = (accessKeyID, secretAccessKey, sessionToken)
    }
}

/// Signs requests to certain hosts with AWS Signature Version 4, for S3, stores with its API, and other services.
///
/// ```swift
/// let signing = AWSSigningInterceptor(hosts: ["album.s3.eu-west-1.amazonaws.com"], user: "album", region: "eu-west-1") {
///     try await session.credentials()  // those of the session, or new ones when these are about to expire
/// }
/// let loader = ImageLoader.standard { $0.networkInterceptors = [signing] }
/// ```
///
/// It belongs among the `networkInterceptors`, inside of the caches and of retries: each attempt gets a new signature,
/// which is valid for 15 minutes, and no cache key contains one. The identity separates users in all caches; it names
/// the user and not the key, so that renewed credentials find what the last ones have loaded.
///
/// It signs the method, the path, the query, the host, the body, `Content-Type` and the fields that begin with
/// `x-amz-`. Other fields may change on the way. The transport follows redirects without signing them: use the host of
/// the region.
public struct AWSSigningInterceptor: RequestInterceptor {
    private let hosts: Set<String>
    private let user: String
    private let signature: SignatureV4
    private let now: @Sendable () -> Date
    private let credentials: @Sendable () async throws -> AWSCredentials

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - hosts: the hosts whose requests are signed, in lower case and without port.
    ///   - user: names whose credentials they are, such as an account or a role, and must not be secret.
    ///   - region: the region of the service, such as `eu-west-1`.
    ///   - service: the service, such as `execute-api`; `s3` by default.
    ///   - now: the time, which the service compares with its own; that of the system by default.
    ///   - credentials: returns valid credentials. Called for each attempt; what it throws ends the fetch.
    public init(
        hosts: Set<String>, user: String, region: String, service: String = "s3",
        now: @escaping @Sendable () -> Date = { Date() }, credentials: @escaping @Sendable () async throws -> AWSCredentials
    ) {
        (self.hosts, self.user, self.now, self.credentials) = (hosts, user, now, credentials)
        signature = SignatureV4(region: region, service: service)
    }

    /// The user, for URLs whose requests are signed.
    public func identity(for url: URL) -> String? { signs(url) ? "aws " + user : nil }

    /// Sends the request with a signature if its host is one of the hosts and it has no `Authorization` yet.
    public func intercept(_ request: DataRequest, next: Next) async throws -> DataResponse {
        guard signs(request.url), request.headerFields[.authorization] == nil else { return try await next(request) }
        return try await next(signed(request, with: credentials()))
    }

    private func signs(_ url: URL) -> Bool { hosts.contains(url.host()?.lowercased() ?? "") }

    private func signed(_ request: DataRequest, with credentials: AWSCredentials) -> DataRequest {
        var signed = request
        let (url, isS3) = (request.url, signature.service == "s3")
        let bodyHash = hexadecimal(SHA256.hash(data: request.body ?? Data()))
        signed.headerFields[.amzDate] = now().ISO8601Format().filter { $0 != "-" && $0 != ":" }
        signed.headerFields[.amzSecurityToken] = credentials.sessionToken
        if isS3 { signed.headerFields[.amzContentSHA256] = bodyHash }
        let port = url.port.flatMap { $0 == (url.scheme?.lowercased() == "https" ? 443 : 80) ? nil : ":\($0)" }
        var fields = ["host": (url.host() ?? "") + (port ?? "")]
        for name in signed.headerFields.map(\.name) where name == .contentType || name.canonicalName.hasPrefix("x-amz-") {
            fields[name.canonicalName] = signed.headerFields[values: name].joined(separator: ",")
        }
        // Services other than S3 encode the encoded path once more.
        signed.headerFields[.authorization] = signature.authorization(
            method: request.method.rawValue, path: url.path(percentEncoded: !isS3), query: url.query() ?? "", fields: fields,
            bodyHash: bodyHash, credentials: credentials)
        return signed
    }
}

extension HTTPField.Name {
    fileprivate static let amzDate = Self("x-amz-date")!
    fileprivate static let amzSecurityToken = Self("x-amz-security-token")!
    fileprivate static let amzContentSHA256 = Self("x-amz-content-sha256")!
}
