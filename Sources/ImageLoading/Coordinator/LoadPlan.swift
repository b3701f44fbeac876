internal import HTTPTypes
internal import ImageCore

/// One request with its options merged: what is loaded, and the keys of the work on the way.
final class LoadPlan: Sendable {
    let id: LoadID
    let request: ImageRequest
    private let merged: MergedOptions
    let priority: LoadPriority
    /// The key of the bytes: the source, the headers that the options set, and the ``identities``.
    let resource: ResourceKey
    /// What else changes the response: what interceptors declare, and options of plug-ins.
    let identities: [String]
    let goal: LoadGoal
    /// Whether the bytes are at hand without a network (``ImageSource/isLocal``).
    let isLocal: Bool
    /// When the load must have ended.
    let deadline: Deadline?
    /// When the load began, for ``StoreGate``.
    let storeEpoch: Int
    /// How long it took to merge the options, where observers want to know.
    let planning: Duration

    /// - Parameters:
    ///   - priority: the priority, where it is not that of the options.
    ///   - deadline: made from the options when the load began.
    ///   - storeEpoch: the epoch of the loader's ``StoreGate`` when the load began.
    init(
        _ id: LoadID, _ request: ImageRequest, _ merged: MergedOptions, goal: LoadGoal = .image,
        identities: [String] = [], priority: LoadPriority? = nil, deadline: Deadline? = nil, storeEpoch: Int = 0,
        planning: Duration = .zero
    ) {
        self.id = id
        self.deadline = deadline
        self.storeEpoch = storeEpoch
        self.planning = planning
        self.goal = goal
        self.merged = merged
        self.priority = priority ?? merged.options.priority
        isLocal = request.isLocal
        self.identities = identities
        let headers = merged.options.headers
        resource =
            headers.isEmpty && identities.isEmpty
            ? request.resource
            : request.resource.varied(
                by: headers.map { "\($0.name.canonicalName): \($0.value)" }.sorted() + identities)
        // Observers know the request alone; its lines carry the context of whichever layer set one.
        self.request = merged.options.logContext.map { request.with(logContext: $0) } ?? request
    }

    var options: LoadOptions { _read { yield merged.options } }

    /// The options for the decoder, with its standard limits.
    var decoding: DecodeOptions { merged.decoding }

    /// What identifies the image after decoding (first) and after each processor; never empty.
    var variants: [ImageVariant] { merged.variants }

    /// How many of the processors a cached image of the resource has had, if it may be shown until this one is
    /// made; otherwise `nil`.
    func standInProcessors(_ variant: ImageVariant, size: PixelSize) -> Int? { merged.standInProcessors(variant, size: size) }

    /// The scale of the decode, where decodes of other sizes may share it.
    var scale: DecodeScale? { merged.scale }

    /// The key of the finished image in the memory cache.
    var imageKey: ImageKey { ImageKey(resource: resource, variant: merged.variant) }

    /// The key of the image as decoded, before the processors.
    var decodedKey: ImageKey { ImageKey(resource: resource, variant: variants[0]) }

    /// The key of the original bytes in the data cache.
    var dataKey: DataKey { DataKey(resource: resource) }

    /// What the load wants from the work that it shares.
    var subscriberOptions: SubscriberOptions {
        var options = SubscriberOptions(purpose: request.purpose, priority: priority, targets: [])
        options.cachePriority = self.options.cachePriority
        if goal == .image, self.options.cachePolicy.writesMemory { options.targets.insert(.memory) }
        if writesDisk {
            let storage = self.options.diskStorage
            if storage.keepsOriginal(isProcessed: isProcessed) { options.targets.insert(.original) }
            if goal == .image, storage.keepsResult(isProcessed: isProcessed) { options.targets.insert(.processed) }
        }
        return options
    }

    /// Whether the image may come from the memory cache.
    var readsMemory: Bool { goal == .image && options.cachePolicy.readsMemory }

    private var writesDisk: Bool { options.cachePolicy.writesDisk && !isLocal }

    /// Whether the data cache may have the finished image.
    private var readsResult: Bool {
        goal == .image && options.cachePolicy.readsDisk && !isLocal
            && options.diskStorage.keepsResult(isProcessed: isProcessed)
    }

    /// Whether the image is scaled or processed.
    var isProcessed: Bool { options.targetSize != nil || !options.processors.isEmpty }

    // MARK: Keys of work

    /// The work whose result the load waits for.
    func workKey(_ parts: LoaderParts) -> WorkKey {
        let origin = origin(parts)
        func key(_ kind: WorkKey.Kind) -> WorkKey {
            WorkKey(kind: kind, origin: origin, image: decodedKey)
        }
        return switch goal {
        case .image:
            WorkKey(kind: readsResult && parts.dataCache != nil ? .processedImage : .image, origin: origin, image: imageKey)
        case .bytes: originalKey(parts)
        case .info: key(.imageInfo)
        case .prefetchToDisk: key(.validatedHeader)
        }
    }

    /// The image after decoding and a number of processors.
    func imageKey(after count: Int, _ parts: LoaderParts) -> WorkKey {
        WorkKey(kind: .image, origin: origin(parts), image: ImageKey(resource: resource, variant: variants[count]))
    }

    /// The bytes.
    func originalKey(_ parts: LoaderParts) -> WorkKey {
        let origin = origin(parts)
        // A load of an image must not join a fetch that stops after the header.
        let kind: WorkKey.Kind = goal == .info && origin != .cache ? .headerBytes : .original
        return WorkKey(kind: kind, origin: origin, image: ImageKey(resource: resource))
    }

    /// Where the bytes may come from.
    func origin(_ parts: LoaderParts) -> WorkKey.Origin {
        guard !isLocal else { return .cacheOrSource }
        let policy = options.cachePolicy
        if policy.isOnlyIfCached { return policy.readsDisk && !policy.revalidatesDisk ? .cache : .none }
        guard policy.readsDisk, parts.hasByteCache else { return .source }
        return policy.revalidatesDisk ? .confirmedCacheOrSource : .cacheOrSource
    }

    /// The group of a URL in the network's queue.
    var host: String {
        if case .url(let url) = request.source { url.origin } else { "" }
    }
}

extension ImageRequest {
    fileprivate func with(logContext: String) -> ImageRequest {
        var request = self
        request.options.logContext = logContext
        return request
    }
}
