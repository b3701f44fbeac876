internal import HTTPTypes
package import ImageCore

/// What two requests have in common for targets to treat them as equal, and for frameworks that compare the inputs of a
/// view.
package struct RequestIdentity: Hashable, Sendable {
    private let resource: ResourceKey
    private let headers: HTTPFields
    private let variant: String

    /// Makes the identity of a request to a loader.
    package init(_ request: ImageRequest, _ loader: any ImageProviding) {
        // If an option is out of range, the load reports it.
        self.init(request, (try? loader.options(for: request)) ?? LoadOptions())
    }

    /// Calls interceptors, processors and options of plug-ins, and therefore must not be called under a lock.
    init(_ request: ImageRequest, _ options: LoadOptions) {
        var parts = [ImageVariant(options.decode).text]
        var others = options.extra.texts(changing: .response)
        if case .url(let url) = request.source {
            others += options.interceptors.compactMap { $0.identity(for: url) }
        }
        parts += others.map { "\($0.utf8.count):\($0)" } + [""]
        // The length before each identifier keeps different lists of identifiers apart.
        parts += options.processors.map { "\($0.identifier.utf8.count):\($0.identifier)" }
        (resource, headers, variant) = (request.resource, options.headers, parts.joined(separator: "|"))
    }
}
