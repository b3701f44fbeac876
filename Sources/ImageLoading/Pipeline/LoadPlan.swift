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
    private let merged: MergedOptions
    let priority: LoadPriority
    /// What identifies the bytes: the source, and the headers that the options set.
    let resource: ResourceKey
    let goal: LoadGoal
    /// Whether the bytes are at hand without a network (``ImageSource/isLocal``).
    let isLocal: Bool
    /// What is shown of the picture while its bytes arrive, where this plan's decode is the shared one.
    let previews = Lock<PreviewSession?>(nil)

    /// - Parameter priority: where it is not that of the options.
    init(
        _ id: LoadID, _ request: consuming ImageRequest, _ merged: MergedOptions, goal: LoadGoal = .image,
        priority: LoadPriority? = nil
    ) {
        self.id = id
        self.goal = goal
        self.merged = merged
        self.priority = priority ?? merged.options.priority
        isLocal = request.isLocal
        resource =
            merged.options.headers.isEmpty
            ? request.resource
            : request.resource.varied(by: merged.options.headers.map { "\($0.name.canonicalName): \($0.value)" }.sorted())
        // Observers know the request alone; its lines carry the context of whichever layer set one.
        if let context = merged.options.logContext { request.options.logContext = context }
        self.request = request
    }

    var options: LoadOptions { _read { yield merged.options } }

    /// What identifies the picture after decoding (first) and after each processor; never empty.
    var variants: [String] { merged.variants }

    /// Of the decode, where others may share it.
    var scale: DecodeScale? { merged.scale }

    /// The key of the finished picture in the memory cache.
    var imageKey: ImageKey { ImageKey(resource: resource, variant: merged.variant) }

    /// The key of the original bytes in the data cache.
    var dataKey: DataKey { DataKey(resource: resource) }

    var terms: LoadTerms {
        LoadTerms(
            rankClass: RankClass(request.purpose, priority),
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
}

/// What a node of the graph does, and for whose plan. Small, since the graph hands it about.
struct Work: Sendable {
    enum Kind: Sendable {
        /// Gets the bytes.
        case original
        /// Decodes them, no larger than the step's processor needs, if it has one, and runs that.
        case decode
        /// Reads their header.
        case header
        /// Gets the finished picture's bytes from the data cache.
        case processedBytes
        /// Decodes those.
        case processed
        /// Runs the step's processor on the picture before it.
        case process
    }

    let kind: Kind
    let plan: LoadPlan
    var step: PixelStep?
}

/// What a node of the graph results in.
enum WorkResult: Sendable {
    case original(Original)
    case image(StagedImage)
    case header(OriginalHeader)
}

/// What the header of an original says.
final class OriginalHeader: Sendable {
    let info: ImageInfo
    let original: Original

    init(_ info: ImageInfo, of original: Original) {
        self.info = info
        self.original = original
    }
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
    /// What it was decoded from, where a smaller one may be made of it.
    let original: Original?
    /// Whether it is the thumbnail in the file, of other size than the picture.
    let isThumbnail: Bool

    init(
        _ image: DecodedImage, tier: CacheTier, metrics: LoadMetrics, original: Original? = nil, isThumbnail: Bool = false
    ) {
        self.image = image
        self.isThumbnail = isThumbnail
        self.tier = tier
        self.metrics = metrics
        self.original = original
    }
}
