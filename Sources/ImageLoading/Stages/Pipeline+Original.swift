internal import ImageCore

/// From a source, or a cache, to the original bytes.
extension Pipeline {
    /// The bytes from the cache of bytes, which is looked up once, or else from the source. A cache that fails counts as a miss.
    func original(_ work: SharedWork) throws -> Next {
        if let fetched { return .finished(.original(fetched)) }
        let plan = work.plan
        let origin = plan.origin(parts)
        if plan.isLocal || origin == .source { return fetchedOriginal(work, nil) }
        guard origin != .none else { throw notCached(plan) }
        return .task(.originalCache, on: .diskCache) { [parts] in
            let request = FetchStage(parts: parts, plan: plan).request(coordinator.rank(of: work))
            let lookup: OriginalCacheStage.Lookup
            do {
                lookup = try await OriginalCacheStage(parts: parts, plan: plan).lookUp(request, progress(work))
            } catch let error as CacheError {
                coordinator.observe(error, in: .originalCache, plan)
                lookup = .miss(nil)
            }
            return { times in try found(lookup, times, work) }
        }
    }

    private func found(_ lookup: OriginalCacheStage.Lookup, _ times: StageTimes, _ work: SharedWork) throws -> Next {
        let plan = work.plan
        let isHit = if case .hit = lookup { true } else { false }
        if parts.hasByteCache { coordinator.observe(.cacheLookup(.disk, isHit: isHit), plan) }
        switch lookup {
        case .hit(let body, let revalidate):
            if let revalidate { coordinator.revalidate(ImageKey(resource: plan.resource), plan, revalidate) }
            var metrics = LoadMetrics()
            metrics.byteCount = body.entry.data.count
            metrics.originalCache = times.working
            return .finished(.original(Original(body, of: work.id, metrics: metrics)))
        case .miss(let transaction):
            guard !plan.options.cachePolicy.isOnlyIfCached else {
                throw notCached(plan)
            }
            return fetchedOriginal(work, transaction)
        }
    }

    private func notCached(_ plan: LoadPlan) -> ImageError {
        ImageError(
            .notCached,
            message: "\(plan.request) is in none of the caches that the cache policy reads, and the policy allows no fetch.",
            stage: .originalCache, source: plan.request.description)
    }

    /// Fetches the source.
    ///
    /// - Parameter transaction: what the lookup in the response cache found.
    func fetchedOriginal(_ work: SharedWork, _ transaction: (any ResponseTransaction)?) -> Next {
        .task(.network, on: work.plan.isLocal ? .local : .network) {
            let body = try await FetchStage(parts: parts, plan: work.plan).fetch(
                coordinator.rank(of: work), coordinator.deadline(of: work), transaction, progress(work))
            return { times in .finished(.original(original(of: body, times, work))) }
        }
    }

    func original(of body: FetchStage.Body, _ times: StageTimes, _ work: SharedWork) -> Original {
        let plan = work.plan
        var metrics = LoadMetrics()
        metrics.byteCount = body.entry.data.count
        metrics.retries = body.retries
        (metrics.network, metrics.waiting) = (times.working, times.waiting)
        if body.tier == .network { coordinator.counters.fetched(metrics) }
        let original = Original(body, of: work.id, metrics: metrics)
        // Bytes that are not decoded are stored where a decoder knows their format, which takes only a look at their first bytes.
        if plan.goal == .bytes, parts.decoder.format(of: body.entry.data) != nil { store(original, for: work) }
        return original
    }

    /// Reports the bytes that arrive to the loads, and to the previews.
    func progress(_ work: SharedWork) -> FetchStage.Progress {
        { [coordinator] bytes, progress in
            coordinator.observe(.progress(progress), work.plan)
            coordinator.report(progress, bytes, from: work)
        }
    }

    /// Removes the bytes from the cache that has them.
    func removeOriginal(_ work: SharedWork) async {
        let stage = FetchStage(parts: parts, plan: work.plan)
        do {
            if let responses = stage.responseCache, let request = stage.request(coordinator.rank(of: work)) {
                try await responses.removeResponse(for: request)
            } else {
                try await parts.dataCache?.removeEntry(for: work.plan.dataKey)
            }
        } catch {
            coordinator.observe(CacheError(cause: error), in: .originalCache, work.plan)
        }
    }
}
