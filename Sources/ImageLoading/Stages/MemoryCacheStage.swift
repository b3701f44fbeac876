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
        guard !configuration.observers.isEmpty else { return MemoryLookup(plan: plan, found: cachedImage(for: plan)) }
        let began = ContinuousClock.now
        let found = cachedImage(for: plan)
        return MemoryLookup(plan: plan, found: found, time: ContinuousClock.now - began)
    }

    private func cachedImage(for plan: LoadPlan) -> DecodedImage? {
        let found = unlessStale(memoryCache.image(for: plan.imageKey), plan)
        guard found.map(\.isPreview) ?? true, plan.options.processors.isEmpty else { return found }
        return unscaledImage(for: plan) ?? found
    }

    /// The decoded image of a load, where an image of another size is the same, because the file is smaller than both.
    func unscaledImage(for plan: LoadPlan) -> DecodedImage? {
        guard plan.readsMemory, plan.options.targetSize != nil else { return nil }
        let decode = plan.variants[0].decode
        let same = memoryCache.variants(of: plan.resource).first { other in
            other.key.variant.processors.isEmpty && !other.image.isPreview
                && decode.isMet(by: other.key.variant.decode, size: other.image.size)
        }
        return same.flatMap { unlessStale(memoryCache.image(for: $0.key), plan) }
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

    /// An image from memory, unless it is too old for the load, or the load follows the freshness of its response, and
    /// that is stale.
    private func unlessStale(_ image: DecodedImage?, _ plan: LoadPlan) -> DecodedImage? {
        if let lifetime = plan.options.memoryLifetime, let image,
            abs(Date().timeIntervalSince1970 - (image.details.decodedAt ?? 0)) >= lifetime / .seconds(1)
        {
            return nil
        }
        guard plan.options.memoryFollowsFreshness, let image, !plan.isLocal else { return image }
        return image.details.freshUntil ?? 0 > Date().timeIntervalSince1970 ? image : nil
    }

    /// A larger image of the same resource, with the same or fewer processors, to show until the image of a load is
    /// there: the one with the most processors, and of those the smallest.
    func largerCachedImage(for plan: LoadPlan) -> DecodedImage? {
        guard plan.options.showsLargerCachedImage, plan.readsMemory, !plan.options.memoryFollowsFreshness else { return nil }
        let found = memoryCache.variants(of: plan.resource).compactMap { other -> (image: DecodedImage, processors: Int)? in
            guard !other.image.isPreview, unlessStale(other.image, plan) != nil,
                let count = plan.largerImageProcessors(other.key.variant, size: other.image.size)
            else {
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

extension ImageVariant.Decode {
    /// Whether an image of a size that another decode made is what this decode makes, because neither scales it.
    fileprivate func isMet(by other: ImageVariant.Decode, size: PixelSize) -> Bool {
        guard options == other.options, let box = targetSize else { return false }
        guard let otherBox = other.targetSize else {
            return ResizeGeometry(source: size, box: box, mode: contentMode).isIdentity(for: size)
        }
        // An image with a side as long as that of its box may have been scaled.
        return contentMode == other.contentMode && size.width < otherBox.width && size.height < otherBox.height
            && size.width <= box.width && size.height <= box.height
            && (contentMode != .fill || box.width * otherBox.height == box.height * otherBox.width)
    }
}

/// The memory cache of a loader without one.
struct NoMemoryCache: Caching {
    func image(for key: ImageKey) -> DecodedImage? { nil }
    func store(_ image: DecodedImage, for key: ImageKey, priority: CachePriority) {}
    func removeImage(for key: ImageKey) {}
    func removeAll() {}
}
