internal import ImageCore

/// Looks images up in the memory cache and stores them there.
extension LoaderParts {
    /// The image of a load in the memory cache, or its preview.
    func cachedImage(for plan: LoadPlan) -> DecodedImage? {
        plan.readsMemory ? memoryCache.image(for: plan.imageKey) : nil
    }

    /// An image that a load may start from, or end with: no preview. Does not count as a use.
    func peekImage(_ key: ImageKey, _ plan: LoadPlan) -> DecodedImage? {
        guard plan.readsMemory else { return nil }
        return memoryCache.peekImage(for: key).flatMap { $0.isPreview ? nil : $0 }
    }

    /// A larger image of the same resource, with the same or fewer processors, to show until the image of a load is there: the one
    /// with the most processors, and of those the smallest.
    func standIn(for plan: LoadPlan) -> DecodedImage? {
        guard plan.options.showsLargerCachedImage, plan.readsMemory else { return nil }
        let found = memoryCache.variants(of: plan.resource).compactMap { other -> (image: DecodedImage, processors: Int)? in
            guard !other.image.isPreview, let count = plan.standInProcessors(other.key.variant, size: other.image.size) else {
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
