internal import HTTPTypes
internal import ImageCore

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
    /// What is shown of the image while its bytes arrive, where this plan's decode is the shared one.
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

    /// What identifies the image after decoding (first) and after each processor; never empty.
    var variants: [String] { merged.variants }

    /// Of the decode, where others may share it.
    var scale: DecodeScale? { merged.scale }

    /// The key of the finished image in the memory cache.
    var imageKey: ImageKey { ImageKey(resource: resource, variant: merged.variant) }

    /// The key of the original bytes in the data cache.
    var dataKey: DataKey { DataKey(resource: resource) }

    /// What the load wants from the work that it shares.
    var subscriberOptions: SubscriberOptions {
        SubscriberOptions(
            rankClass: RankClass(request.purpose, priority),
            writesMemory: goal == .image && options.cachePolicy.writesMemory,
            cachePriority: options.cachePriority,
            writesDisk: writesDisk && options.diskStorage.keepsOriginal(isProcessed: isProcessed),
            writesResult: goal == .image && writesDisk && options.diskStorage.keepsResult(isProcessed: isProcessed))
    }

    private var writesDisk: Bool { options.cachePolicy.writesDisk && options.storesToDisk && !isLocal }

    /// Whether the data cache may have the finished image.
    var readsResult: Bool {
        goal == .image && options.cachePolicy.readsDisk && !isLocal
            && options.diskStorage.keepsResult(isProcessed: isProcessed)
    }

    /// Whether the image is scaled or processed.
    var isProcessed: Bool { options.targetSize != nil || !options.processors.isEmpty }
}
