internal import ImageCore

/// What the memory cache has for a load. Each load looks it up once, on the caller's thread and before there is any
/// work.
struct MemoryLookup: Sendable {
    let plan: LoadPlan
    /// The image, or a preview of it.
    var found: DecodedImage?
    /// How long the lookup took, where observers want to know.
    var time = Duration.zero

    /// The image, which ends the load.
    var hit: DecodedImage? { found.flatMap { $0.isPreview ? nil : $0 } }
}

/// Looks images up in the memory cache and stores them there.
extension Components {
    /// Looks the image of a load up.
    func lookUpMemory(_ plan: LoadPlan) -> MemoryLookup {
        guard plan.readsMemory else { return MemoryLookup(plan: plan) }
        guard !configuration.observers.isEmpty else {
            return MemoryLookup(plan: plan, found: unlessStale(memoryCache.image(for: plan.imageKey), plan))
        }
        let began = ContinuousClock.now
        let found = unlessStale(memoryCache.image(for: plan.imageKey), plan)
        return MemoryLookup(plan: plan, found: found, time: ContinuousClock.now - began)
    }

    /// Looks the image of a request up that sets no options, which needs no plan.
    ///
    /// - Parameter variant: ``LayeredDefaults/variantWithoutOptions``.
    /// - Returns: the image, no preview.
    func lookUpMemory(_ request: ImageRequest, variant: ImageVariant) -> DecodedImage? {
        let resource = interceptors.isEmpty && !request.mayChangeHere ? request.resource : resource(of: request)
        return memoryCache.image(for: ImageKey(resource: resource, variant: variant)).flatMap { $0.isPreview ? nil : $0 }
    }

    /// An image that a load may start from, or end with: no preview. Does not count as a use.
    func peekImage(_ key: ImageKey, _ plan: LoadPlan) -> DecodedImage? {
        guard plan.readsMemory else { return nil }
        return unlessStale(memoryCache.peekImage(for: key), plan).flatMap { $0.isPreview ? nil : $0 }
    }

    /// An image from memory, unless the load follows the freshness of its response, and that is stale.
    private func unlessStale(_ image: DecodedImage?, _ plan: LoadPlan) -> DecodedImage? {
        guard plan.options.memoryFollowsFreshness, let image, !plan.isLocal else { return image }
        return image.freshUntil ?? 0 > Date().timeIntervalSince1970 ? image : nil
    }

    /// A larger image of the same resource, with the same or fewer processors, to show until the image of a load is
    /// there: the one with the most processors, and of those the smallest.
    func largerCachedImage(for plan: LoadPlan) -> DecodedImage? {
        guard plan.options.showsLargerCachedImage, plan.readsMemory, !plan.options.memoryFollowsFreshness else { return nil }
        let found = memoryCache.variants(of: plan.resource).compactMap { other -> (image: DecodedImage, processors: Int)? in
            guard !other.image.isPreview, let count = plan.largerImageProcessors(other.key.variant, size: other.image.size) else {
                return nil
            }
            return (other.image, count)
        }
        guard var best = found.max(by: { ($0.processors, -$0.image.cost) < ($1.processors, -$1.image.cost) })?.image else {
            return nil
        }
        best.isPreview = true
        return best
    }

    /// Stores a preview for a later load, unless the image itself is there.
    func storePreview(_ preview: DecodedImage, for key: ImageKey) {
        guard memoryCache.peekImage(for: key).map(\.isPreview) ?? true else { return }
        memoryCache.store(preview, for: key, priority: .normal)
    }
}

/// The memory cache of a loader without one.
struct NoMemoryCache: Caching {
    func image(for key: ImageKey) -> DecodedImage? { nil }
    func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {}
    func removeImage(for key: ImageKey) {}
    func removeAll() {}
}
