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
    /// The options that hold for each attempt of the fetch.
    let terms: FetchTerms
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
        (self.deadline, self.storeEpoch, self.planning, self.goal, self.merged) = (deadline, storeEpoch, planning, goal, merged)
        self.priority = priority ?? merged.options.priority
        isLocal = request.isLocal
        var terms = merged.terms
        if let url = request.source.url { terms.addInterceptors(of: merged.options, for: url) }
        self.terms = terms
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
    func largerImageProcessors(_ variant: ImageVariant, size: PixelSize) -> Int? {
        merged.largerImageProcessors(variant, size: size)
    }

    /// The processors in runs that work as one.
    var runs: [ProcessingRun] { merged.runs }

    /// The scale of the decode, where decodes of other sizes may share it. All sizes of a source that is an image are
    /// made from that.
    var scale: DecodeScale? { request.source.isDecoded ? nil : merged.scale }

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
            if storesOriginal { options.targets.insert(.original) }
            if case .encoded = goal { options.targets.insert(.encoded) }
            if goal == .image, self.options.diskStorage.keepsResult(isProcessed: isProcessed) {
                options.targets.formUnion([.processed, .animation])
            }
        }
        return options
    }

    /// Whether the image may come from the memory cache.
    var readsMemory: Bool { goal == .image && options.cachePolicy.readsMemory }

    /// Whether the load wants the bytes in the data cache.
    var storesOriginal: Bool { writesDisk && options.diskStorage.keepsOriginal(isProcessed: isProcessed) }

    private var writesDisk: Bool { options.cachePolicy.writesDisk && !isLocal }

    /// Whether the data cache may have the finished image.
    private var readsResult: Bool {
        goal == .image && options.cachePolicy.readsDisk && !isLocal
            && options.diskStorage.keepsResult(isProcessed: isProcessed)
    }

    /// Whether the data cache may have the image in the bytes of a format.
    var readsEncoded: Bool { options.cachePolicy.readsDisk && !isLocal }

    /// Whether the data cache may have the finished image of other loads that is on the way to the plan's image.
    func mayStartFromDisk(_ image: ImageKey, steps: [PixelStep]) -> Bool {
        readsResult && image != imageKey && (!steps.isEmpty || options.targetSize != nil)
    }

    /// Whether the image is scaled or processed.
    var isProcessed: Bool { options.targetSize != nil || !options.processors.isEmpty }

    // MARK: Keys of jobs

    /// The job whose output the load waits for.
    func jobKey(_ components: Components) -> JobKey {
        switch goal {
        case .image, .intercepted:
            let isStored = readsResult && components.dataCache != nil
            return key(isStored ? .processedImage : .image, imageKey, components)
        case .encoded(let form):
            let image = ImageKey(resource: resource, variant: merged.variant.encoded(as: form.text))
            return key(.encodedImage, image, components)
        case .bytes: return originalKey(components)
        case .info: return key(.imageInfo, decodedKey, components)
        case .prefetchToDisk: return key(.validatedHeader, decodedKey, components)
        }
    }

    /// The image after decoding and a number of processors.
    func imageKey(after count: Int, _ components: Components) -> JobKey {
        key(.image, ImageKey(resource: resource, variant: variants[count]), components)
    }

    /// The bytes.
    func originalKey(_ components: Components) -> JobKey {
        // A load of an image must not join a fetch that stops after the header.
        let isHeader = goal == .info && origin(components) != .cache && !request.source.isDecoded
        return key(isHeader ? .headerBytes : .original, ImageKey(resource: resource), components)
    }

    /// The bytes, fetched even where a cache has them: what it has is damaged.
    func fetchedOriginalKey(_ components: Components) -> JobKey {
        var key = originalKey(components)
        key.origin = .source
        return key
    }

    private func key(_ kind: JobKey.Kind, _ image: ImageKey, _ components: Components) -> JobKey {
        JobKey(kind: kind, origin: origin(components), image: image, terms: terms)
    }

    /// Where the bytes may come from.
    func origin(_ components: Components) -> JobKey.Origin {
        guard !isLocal else { return .cacheOrSource }
        let policy = options.cachePolicy
        if policy.isOnlyIfCached { return policy.readsDisk && !policy.revalidatesDisk ? .cache : .none }
        guard policy.readsDisk, components.hasByteCache else { return .source }
        return policy.revalidatesDisk ? .confirmedCacheOrSource : .cacheOrSource
    }

    /// The group of a URL in the network's queue.
    var host: String {
        request.source.url?.origin ?? ""
    }
}

extension ImageRequest {
    fileprivate func with(logContext: String) -> ImageRequest {
        var request = self
        request.options.logContext = logContext
        return request
    }
}

/// What a load ends with.
enum LoadGoal: Equatable, Sendable {
    /// The image, decoded and processed.
    case image
    /// The image that the load's interceptors return.
    case intercepted
    /// The image in the bytes of a format.
    case encoded(EncodedForm)
    /// The bytes in the data cache, once a decoder has accepted their header.
    case prefetchToDisk
    /// The bytes, whatever they are.
    case bytes
    /// What their header says.
    case info

    /// Whether a load decodes the image.
    var decodes: Bool {
        switch self {
        case .image, .intercepted, .encoded: true
        case .prefetchToDisk, .bytes, .info: false
        }
    }

    /// Whether the size of the image matters.
    var hasSize: Bool { self != .bytes && self != .info }
}

/// What a plan sends to the network layer, and through what.
extension LoadPlan {
    /// The loader's network layer, within the plan's interceptors.
    func loader(_ components: Components) -> any DataLoading {
        let (loader, interceptors) = (components.configuration.dataLoader, options.interceptors)
        return interceptors.isEmpty ? loader : InterceptedLoader(loader, interceptors: interceptors)
    }

    /// The request for the network layer, and for the cache of its responses.
    ///
    /// - Parameters:
    ///   - rank: the purpose and the priority of the loads that wait.
    ///   - limits: the limits of the loads that wait; by default those of the plan alone.
    func dataRequest(
        _ url: URL, _ rank: RankClass, _ components: Components, _ limits: LoadCoordinator.FetchLimits? = nil
    ) -> DataRequest {
        var policy = options.cachePolicy
        if limits?.storesOriginal ?? storesOriginal { policy.insert(.writesDisk) } else { policy.remove(.writesDisk) }
        var result = DataRequest(
            url: url, method: request.method, headerFields: headerFields(components), body: request.body,
            timeout: options.timeout, maximumResponseBytes: limits?.maximumBytes ?? maximumResponseBytes(components),
            priority: rank.priority, retries: options.retries,
            allowsExpensiveNetwork: limits?.allowsExpensiveNetwork ?? options.allowsExpensiveNetwork, cachePolicy: policy,
            purpose: rank.purpose)
        result.defersStoring = true
        // A load that must not use the network accepts entries of any age.
        result.maximumAge = policy.isOnlyIfCached ? nil : options.diskLifetime
        (result.cacheKey, result.identities, result.extra) = (request.cacheKey, identities, options.extra)
        return result
    }

    private func headerFields(_ components: Components) -> HTTPFields {
        if isLocal { return options.headers }
        if options.headers.isEmpty { return components.accept }
        return options.headers[.accept] == nil ? options.headers + components.accept : options.headers
    }

    /// The largest body that is accepted, in bytes.
    func maximumResponseBytes(_ components: Components) -> Int {
        options.maximumResponseBytes ?? components.configuration.limits.maximumResponseBytes
    }

    /// Whether an entry of the data cache is too old for the load, where no response cache decides.
    func isTooOld(_ entry: DataEntry) -> Bool {
        guard let lifetime = options.diskLifetime, !options.cachePolicy.isOnlyIfCached else { return false }
        return abs(Date().timeIntervalSince1970 - entry.storedAt) >= lifetime / .seconds(1)
    }

    /// The cache that takes the place of the data cache for the plan's URL; `nil` for a source that is not on the web.
    func responseCache(_ components: Components) -> (any ResponseCaching)? {
        guard let cache = components.configuration.responseCache, let url = request.source.url else { return nil }
        let scheme = url.scheme?.lowercased()
        return scheme == "https" || scheme == "http" ? cache : nil
    }
}

/// One step on the way from the decoded to the wanted image: a run of processors that work as one.
struct PixelStep: Sendable {
    /// The index of its result in the plan's ``LoadPlan/variants``.
    let variant: Int
    /// What runs on the image of the step before.
    let processor: any Processing

    /// Whether the step may run together with the decode before it, which then gives less than the full image.
    var reducesDecode: Bool { (processor as? any FusingProcessing)?.reducesDecode ?? false }
}

extension LoadPlan {
    /// The processors in steps.
    ///
    /// - Parameter isWanted: whether a load waits already for the image after that many processors. A step ends there,
    ///   so that [a, b] shares the work of [a] also where the two could work as one.
    func steps(endingAt isWanted: (_ count: Int) -> Bool) -> [PixelStep] {
        var steps: [PixelStep] = []
        for run in runs {
            // The number of processors after which the run could end.
            guard let cut = run.range.dropFirst().last(where: isWanted) else {
                steps.append(PixelStep(variant: run.range.upperBound, processor: run.processor))
                continue
            }
            for part in [run.range.lowerBound..<cut, cut..<run.range.upperBound] {
                steps += ProcessingRun.runs(of: Array(options.processors[part])).map {
                    PixelStep(variant: part.lowerBound + $0.range.upperBound, processor: $0.processor)
                }
            }
        }
        return steps
    }
}
