public import ImageCore

/// Gives each request to the loader that is registered for its URL's scheme.
///
/// Schemes match in any case. A loader registered later replaces one registered earlier for the same scheme. A URL
/// without a scheme counts as a `file`. The loader of the scheme applies timeout and deadline; those of files and
/// `data:` URLs read without time limits.
///
/// ```swift
/// struct Archive: DataLoading {
///     func load(_ request: DataRequest) async throws -> DataResponse { DataResponse(url: request.url, body: ByteStream(Data())) }
/// }
/// let router = SchemeRouter.standard(network: CurlLoader()).registering(Archive(), for: ["archive"])
/// ```
public struct SchemeRouter: DataLoading {
    private var loaders: [String: any DataLoading] = [:]

    /// Makes a router without schemes.
    public init() {}

    /// `http` and `https` by `network`, `file` by ``FileLoader``, `data` by ``DataURLLoader``.
    public static func standard(network: any DataLoading) -> SchemeRouter {
        SchemeRouter()
            .registering(network, for: ["http", "https"])
            .registering(FileLoader(), for: ["file"])
            .registering(DataURLLoader(), for: ["data"])
    }

    /// The router with a loader for these schemes, in place of their previous loaders.
    public func registering(_ loader: any DataLoading, for schemes: [String]) -> SchemeRouter {
        var router = self
        for scheme in schemes { router.loaders[scheme.lowercased()] = loader }
        return router
    }

    /// The registered schemes, in alphabetical order.
    public var schemes: [String] { loaders.keys.sorted() }

    /// What the registered loader returns.
    ///
    /// - Throws: ``ImageError/Code/unsupportedScheme``, naming the known ones; and what the loader throws.
    public func load(_ request: DataRequest) async throws -> DataResponse {
        let scheme = Self.scheme(of: request.url)
        guard let loader = loaders[scheme] else {
            let known = schemes.isEmpty ? "no loader is registered" : "the registered ones are " + schemes.joined(separator: ", ")
            throw ImageError(
                .unsupportedScheme,
                message: "No loader is registered for the scheme “\(scheme)” of \(ImageSource.redacted(request.url)); \(known).")
        }
        return try await loader.load(request)
    }

    /// What the registered loader says.
    public func version(of url: URL) -> String? { loaders[Self.scheme(of: url)]?.version(of: url) }

    private static func scheme(of url: URL) -> String { url.scheme?.lowercased() ?? "file" }
}
