internal import HTTPTypes
internal import ImageCore

/// What a load ends with.
enum LoadGoal: Sendable {
    /// The picture, decoded and processed.
    case image
    /// The bytes in the data cache, once a decoder knows their header.
    case storedBytes
    /// The bytes, whatever they are.
    case bytes
    /// What their header says.
    case info
}

/// One request with its options merged: what is to be loaded, and what each step of it is called.
final class LoadPlan: Sendable {
    let id: LoadID
    let request: ImageRequest
    let options: LoadOptions
    /// What identifies the bytes: the source, and the headers that the options set.
    let resource: ResourceKey
    /// What identifies the picture after decoding (first) and after each processor; never empty.
    let variants: [String]
    let goal: LoadGoal
    /// Whether the bytes are at hand without a network (``ImageSource/isLocal``).
    let isLocal: Bool
    /// What is shown of the picture while its bytes arrive, where this plan's decode is the shared one.
    let previews = Lock<PreviewSession?>(nil)

    init(_ id: LoadID, _ request: ImageRequest, options: LoadOptions, goal: LoadGoal = .image) {
        self.id = id
        self.goal = goal
        var named = request
        // Observers know the request alone; its lines carry the context of whichever layer set one.
        if let context = options.logContext { named.options.logContext = context }
        self.request = named
        self.options = options
        isLocal = request.source.isLocal
        resource =
            options.headers.isEmpty
            ? request.resource
            : request.resource.varied(by: options.headers.map { "\($0.name.canonicalName): \($0.value)" }.sorted())
        variants = LoadPlan.variants(options)
    }

    static func variants(_ options: LoadOptions) -> [String] {
        var variants = [decodeVariant(options)]
        for processor in options.processors {
            // With its length, so that no two lists of identifiers read the same.
            let identifier = processor.identifier
            variants.append("\(variants[variants.count - 1])|\(identifier.utf8.count):\(identifier)")
        }
        return variants
    }

    /// The key of the finished picture in the memory cache.
    var imageKey: ImageKey { ImageKey(resource: resource, variant: variants[variants.count - 1]) }

    /// The key of the original bytes in the data cache.
    var dataKey: DataKey { DataKey(resource: resource) }

    var priority: LoadPriority { options.priority }

    var terms: LoadTerms {
        LoadTerms(
            rankClass: RankClass(request.purpose, options.priority),
            writesMemory: goal == .image && options.cachePolicy.writesMemory,
            cachePriority: options.cachePriority,
            writesDisk: writesDisk && options.diskStorage.keepsOriginal(isProcessed: isProcessed),
            writesResult: goal == .image && writesDisk && options.diskStorage.keepsResult(isProcessed: isProcessed))
    }

    private var writesDisk: Bool { options.cachePolicy.writesDisk && options.storesToDisk && !isLocal }

    /// Whether the data cache may have the finished picture.
    var readsResult: Bool {
        goal == .image && options.cachePolicy.readsDisk && !isLocal
            && options.diskStorage.keepsResult(isProcessed: isProcessed)
    }

    /// Whether the picture is scaled or processed.
    var isProcessed: Bool { options.targetSize != nil || !options.processors.isEmpty }

    /// Every option that changes the decoded picture or whether there is one, as text; empty for the defaults.
    private static func decodeVariant(_ options: LoadOptions) -> String {
        var parts: [String] = []
        if let size = options.targetSize { parts.append("\(size),\(options.contentMode.rawValue)") }
        if !options.appliesOrientation { parts.append("as-stored") }
        if options.allowsPartial { parts.append("partial") }
        if let pixels = options.maximumPixels { parts.append("at-most-\(pixels)") }
        return parts.joined(separator: ",")
    }
}

/// What a node of the graph does.
enum Work: Sendable {
    /// Gets the bytes.
    case original(LoadPlan)
    /// Decodes them, no larger than the processor needs that is run next, if one is named.
    case decode(LoadPlan, then: (any Processing)?)
    /// Reads their header.
    case header(LoadPlan)
    /// Gets the finished picture's bytes from the data cache.
    case processedBytes(LoadPlan)
    /// Decodes those.
    case processed(LoadPlan)
    /// Runs a processor on the picture before it.
    case process(LoadPlan, any Processing)

    var plan: LoadPlan {
        switch self {
        case .original(let plan), .decode(let plan, _), .header(let plan), .process(let plan, _), .processedBytes(let plan),
            .processed(let plan):
            plan
        }
    }
}

/// What a node of the graph results in.
enum WorkResult: Sendable {
    case original(Original)
    case image(StagedImage)
    case header(ImageInfo, Original)
}

/// Bytes of a picture, and how they were come by.
final class Original: Sendable {
    let entry: DataEntry
    let tier: CacheTier
    let metrics: LoadMetrics
    /// Whether the bytes came over the network just now.
    let isFetched: Bool
    /// Whether these are all bytes, not just those that tell what the header says.
    let isWhole: Bool

    init(_ entry: DataEntry, tier: CacheTier, metrics: LoadMetrics, isFetched: Bool = false, isWhole: Bool = true) {
        self.entry = entry
        self.isWhole = isWhole
        self.tier = tier
        self.metrics = metrics
        self.isFetched = isFetched
    }
}

/// A picture on its way through the stages.
final class StagedImage: Sendable {
    let image: DecodedImage
    let tier: CacheTier
    let metrics: LoadMetrics

    init(_ image: DecodedImage, tier: CacheTier, metrics: LoadMetrics) {
        self.image = image
        self.tier = tier
        self.metrics = metrics
    }
}
