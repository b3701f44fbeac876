internal import HTTPTypes
package import ImageCore

/// A request as targets see it, and frameworks that compare the inputs of a view: what identifies its image, and what
/// else takes effect.
package struct RequestIdentity: Equatable, Sendable {
    /// What two requests have in common that are for the same image.
    struct Image: Hashable, Sendable {
        fileprivate let resource: ResourceKey
        fileprivate let headers: HTTPFields
        fileprivate let variant: String
    }

    /// What the load depends on besides its image.
    struct Load: Hashable, Sendable {
        fileprivate let cachePolicy: CachePolicy
        fileprivate let previews: PreviewPolicy
        fileprivate let times: [Duration?]
        fileprivate let counts: [Int?]
        fileprivate let diskStorage: DiskStorage?
        fileprivate let allowsExpensiveNetwork: Bool
        fileprivate let otherSources: [ResourceKey?]
        fileprivate let owner: LoadOwner?
    }

    let image: Image
    let load: Load
    private let priority: LoadPriority
    private let accessibilityLabel: String?
    private let placeholder: Placeholder
    private let failureImage: DecodedImage?
    private let transition: ImageTransition
    private let offScreenPolicy: OffScreenPolicy
    private let showsTierBadge: Bool
    private let animationPlays: Int?
    private let autoplays: Bool
    private let extra: ExtraOptions

    /// Makes the identity of a request to a loader.
    package init(_ request: ImageRequest, _ loader: any ImageProviding) {
        // If an option is out of range, the load reports it.
        self.init(request, (try? loader.options(for: request)) ?? LoadOptions())
    }

    /// Calls interceptors, processors and options of plug-ins, and therefore must not be called under a lock.
    init(_ request: ImageRequest, _ options: LoadOptions) {
        var parts = [ImageVariant(options.decode).text, options.sizesToTarget ? "" : "unsized"]
        var others = options.extra.texts(changing: .response)
        if let url = request.source.url {
            others += options.interceptors.compactMap { $0.identity(for: url) }
        }
        parts += others.map { "\($0.utf8.count):\($0)" } + [""]
        // The length before each identifier keeps different lists of identifiers apart.
        parts += options.processors.map { "\($0.identifier.utf8.count):\($0.identifier)" }
        image = Image(resource: request.resource, headers: options.headers, variant: parts.joined(separator: "|"))
        load = Load(
            cachePolicy: options.cachePolicy, previews: options.previews,
            times: [options.timeout, options.deadline, options.memoryLifetime, options.diskLifetime],
            counts: [options.retries, options.maximumResponseBytes],
            diskStorage: options.storesToDisk ? options.diskStorage : nil,
            allowsExpensiveNetwork: options.allowsExpensiveNetwork, otherSources: request.otherSources, owner: request.owner)
        (priority, accessibilityLabel, extra) = (options.priority, options.accessibilityLabel, options.extra)
        (placeholder, failureImage) = (options.placeholder, options.failureImage)
        (animationPlays, autoplays) = (options.animationPlays, options.autoplays)
        (transition, offScreenPolicy, showsTierBadge) = (options.transition, options.offScreenPolicy, options.showsTierBadge)
    }
}
