internal import HTTPTypes
internal import ImageCore

/// Finished images in the data cache. They follow the rules of the response cache for the responses that they were made from.
extension Pipeline {
    private typealias Otherwise = @Sendable (Pipeline) -> Next

    /// The finished image in the data cache. An entry that is damaged or has another original is removed, and a miss.
    ///
    /// - Parameter otherwise: what follows a miss, in a pipeline that may have the bytes.
    func processedImage(_ work: SharedWork, otherwise: @escaping @Sendable (Pipeline) -> Next) -> Next {
        let stage = ProcessedCacheStage(parts: parts, plan: work.plan, image: work.key.image)
        return .task(.processedCache, on: .diskCache) { [parts] in
            do {
                guard let entry = try await parts.dataCache?.entry(for: stage.key) else { return { _ in otherwise(self) } }
                return { times in found(entry, stage, times, work, otherwise) }
            } catch {
                coordinator.observe(CacheError(cause: error), in: .processedCache, work.plan)
                return { _ in otherwise(self) }
            }
        }
    }

    private func found(
        _ entry: DataEntry, _ stage: ProcessedCacheStage, _ lookup: StageTimes, _ work: SharedWork,
        _ otherwise: @escaping Otherwise
    ) -> Next {
        guard let rules = stage.rules, let request = stage.request else {
            // Only the rules of a response cache can ask the server.
            let mustAsk = work.plan.options.cachePolicy.revalidatesDisk
            return mustAsk ? otherwise(self) : hit(entry, stage, lookup, work, otherwise)
        }
        switch rules.use(of: entry, for: request) {
        case .serve: break
        case .serveWhileRevalidating: revalidateInBackground(request, rules, stage, work)
        case .revalidate(let fields): return revalidated(entry, request.with(fields), rules, stage, lookup, work, otherwise)
        case .none: return otherwise(self)
        }
        return hit(entry, stage, lookup, work, otherwise)
    }

    private func hit(
        _ entry: DataEntry, _ stage: ProcessedCacheStage, _ lookup: StageTimes, _ work: SharedWork,
        _ otherwise: @escaping Otherwise
    ) -> Next {
        var metrics = LoadMetrics()
        metrics.processedCache = lookup.working
        return decodedEntry(entry, stage, metrics, work, otherwise)
    }

    private func decodedEntry(
        _ entry: DataEntry, _ stage: ProcessedCacheStage, _ metrics: LoadMetrics, _ work: SharedWork,
        _ otherwise: @escaping Otherwise
    ) -> Next {
        coordinator.observe(.cacheLookup(.disk, isHit: true), work.plan)
        return .worker(.decode) { [parts] in
            parts.decodingBytes(
                of: entry.data, parts.configuration.limits.decoding, keepsDepth: !work.plan.options.convertsTo8Bit)
        } _: {
            do {
                let image = try stage.decode(entry, work.token)
                return { times in
                    var metrics = metrics
                    metrics.byteCount = entry.data.count
                    metrics.decode = times.working
                    metrics.waiting += times.waiting
                    let staged = StagedImage(image, tier: .disk, metrics: metrics)
                    let (targets, priority) = coordinator.stores(of: work)
                    if targets.contains(.memory) { storeInMemory(staged, priority, work) }
                    return .finished(.image(staged))
                }
            } catch {
                guard !work.token.isCancelled, !(error is CancellationError) else { throw error }
                return { _ in removed(stage, work) { otherwise(self) } }
            }
        }
    }

    /// Removes the entry before the load continues, which may store a new one.
    private func removed(_ stage: ProcessedCacheStage, _ work: SharedWork, then next: @escaping @Sendable () -> Next) -> Next {
        .task(nil, on: .diskCache) {
            await remove(stage)
            return { _ in next() }
        }
    }

    private func remove(_ stage: ProcessedCacheStage) async {
        await report(.processedCache, stage.plan) { try await parts.dataCache?.removeEntry(for: stage.key) }
    }

    // MARK: Revalidation

    /// A stale image, after the server has confirmed its original; otherwise the image is made from the new original.
    private func revalidated(
        _ entry: DataEntry, _ request: DataRequest, _ rules: any ProcessedImageRules, _ stage: ProcessedCacheStage,
        _ lookup: StageTimes, _ work: SharedWork, _ otherwise: @escaping Otherwise
    ) -> Next {
        .task(.network, on: .network) {
            var request = request
            (request.priority, request.deadline) = (coordinator.rank(of: work).priority, coordinator.deadline(of: work))
            let result: ProcessedCacheStage.Revalidation
            do {
                result = try await stage.revalidate(entry, request, rules, progress(work))
            } catch let error as ImageError where [404, 410].contains(error.status) {
                // An image that is gone must not be shown again when the server fails.
                await remove(stage)
                throw error
            }
            return { times in
                switch result {
                case .confirmed(let confirmed):
                    if confirmed.storedAt != entry.storedAt { store(confirmed, stage, for: work) }
                    var metrics = LoadMetrics()
                    metrics.processedCache = lookup.working
                    (metrics.network, metrics.waiting) = (times.working, times.waiting)
                    return decodedEntry(confirmed, stage, metrics, work, otherwise)
                case .fetched(let body):
                    var pipeline = self
                    pipeline.fetched = original(of: body, times, work)
                    return removed(stage, work) { [pipeline] in otherwise(pipeline) }
                case .outdated: return removed(stage, work) { otherwise(self) }
                }
            }
        }
    }

    private func store(_ entry: DataEntry, _ stage: ProcessedCacheStage, for work: SharedWork) {
        guard let cache = parts.dataCache, coordinator.stores(of: work).targets.contains(.processed) else { return }
        storeInBackground(work.id, work.plan) { try await cache.store(entry, for: stage.key) }
    }

    /// Revalidates an image that was served. If its original has changed, the next load makes it again.
    private func revalidateInBackground(
        _ request: DataRequest, _ rules: any ProcessedImageRules, _ stage: ProcessedCacheStage, _ work: SharedWork
    ) {
        var request = request
        request.priority = .veryLow
        coordinator.revalidate(work.key.image, work.plan) { [self, request] in
            // Another load may have refreshed the image while this one waited.
            guard let entry = try? await parts.dataCache?.entry(for: stage.key) else { return }
            let fields: HTTPFields
            switch rules.use(of: entry, for: request) {
            case .serveWhileRevalidating(let conditional), .revalidate(let conditional): fields = conditional
            case .serve, .none: return
            }
            guard let result = try? await stage.revalidate(entry, request.with(fields), rules, { _, _ in }) else { return }
            switch result {
            case .confirmed(let confirmed):
                guard confirmed.storedAt != entry.storedAt else { return }
                await report(.store, stage.plan) { try await parts.dataCache?.store(confirmed, for: stage.key) }
            case .fetched, .outdated: await remove(stage)
            }
        }
    }
}

extension DataRequest {
    fileprivate func with(_ fields: HTTPFields) -> DataRequest {
        var request = self
        request.headerFields = fields
        return request
    }
}
